// Workaround for split_convolution_concat: OpenVINO makes a group convolution of the Convolutions of the
// parts of a Split and the Concat of their results, also if the Concat joins others.
#include <algorithm>

#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/spatial.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the Concat joins one Convolution of each part of the Split along the channels.
bool joins_all_parts(ir::ConcatView concat, ir::AnySplitView split) {
  const auto parts = concat.parts();
  if (joined_axis(concat) != 1 || parts.size() != split.node().outputs().size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto convolution = ir::match<ir::ConvolutionView>(parts[i]);
    if (!convolution || convolution->data().node != &split.node() || convolution->data().index != i)
      return false;
  }
  return true;
}

/// Fault::split_convolution_concat.
bool is_joined_with_others(ir::ConvolutionView convolution) {
  const auto split = ir::match<ir::AnySplitView>(convolution.data());
  if (!split) return false;
  if (split->data().node->outputs().size() > 1) return true;
  return std::ranges::any_of(convolution.output(0).uses, [&](const ir::Use& use) {
    const auto concat = ir::match<ir::ConcatView>(*use.node);
    return concat && !joins_all_parts(*concat, *split);
  });
}

}  // namespace

Workaround separate_split_convolutions() {
  return {
      .stage = Stage::kernels,
      .summary = "Keeps convolutions of the parts of a Split apart from a Concat that joins others",
      .rows = {separating_row<is_joined_with_others>(Fault::split_convolution_concat, {ops::Convolution})}};
}

}  // namespace onnx2ir::passes
