// Counts the axes of Slices from the front. OpenVINO merges a Slice of a Slice if their lists of axes have
// nothing in common, and does not notice that -1 and 1 can be the same axis (merged_slice_axes).
#include <algorithm>
#include <vector>

#include "ir/inference.hpp"
#include "ir/views/selection.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool is_affected(ir::SliceView slice) {
  const auto axes = ir::exact_values(slice.axes());
  return axes && slice.data().shape().has_rank() &&
         std::ranges::any_of(*axes, [](std::int64_t axis) { return axis < 0; });
}

ir::Value count_from_front(ir::Builder& builder, ir::SliceView slice) {
  const std::size_t rank = slice.data().shape().rank();
  std::vector<std::int64_t> axes;
  const auto listed = ir::exact_values(slice.axes());
  for (const std::int64_t axis : *listed) {
    axes.push_back(static_cast<std::int64_t>(ir::normalize_axis(axis, rank)));
  }
  const ir::Value list = builder.integers(axes, slice.axes().type());
  return ir::clone_with_input(builder, slice, ir::SliceView::Input::axes, list);
}

}  // namespace

Workaround count_slice_axes_from_front() {
  return {.stage = Stage::operations,
          .summary = "Replaces negative axes of Slices",
          .rows = {row<is_affected, count_from_front>(Fault::merged_slice_axes, {ops::Slice})}};
}

}  // namespace onnx2ir::passes
