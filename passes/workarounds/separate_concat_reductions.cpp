// Workaround for concat_reduction: OpenVINO replaces ReduceMax or ReduceMin along the axis of a Concat of two
// tensors by Maximum or Minimum of the two, even if they have several elements along that axis. Here one
// tensor is repeated in the Concat. That does not change the maximum or minimum, and OpenVINO does not
// replace a Concat of three tensors.
#include <algorithm>

#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kExtrema = {ops::ReduceMax, ops::ReduceMin};

/// Whether the reduction is along the axis of `concat` alone.
bool reduces_axis_of(ir::ReductionView reduction, ir::ConcatView concat) {
  const ir::PartialShape& shape = concat.output(0).shape;
  if (!shape.has_rank()) return !ir::exact_values(reduction.axes());
  const auto axes = sorted_axes(reduction.axes(), shape.rank());
  return !axes || *axes == ir::Integers{static_cast<std::int64_t>(joined_axis(concat))};
}

/// Whether the replacement by Maximum or Minimum is right: both tensors have one element along the axis.
bool has_single_elements(ir::ConcatView concat) {
  return std::ranges::all_of(concat.parts(), [&](ir::Value part) {
    return part.shape().has_rank() && part.shape()[joined_axis(concat)] == ir::Dimension(1);
  });
}

/// The same for a Concat whose result an Unsqueeze reshapes: OpenVINO moves the Reduce before it first.
bool is_unsqueezed_concat(ir::ReductionView reduction) {
  const auto unsqueeze = ir::match<ir::UnsqueezeView>(reduction.data());
  const auto concat = unsqueeze ? ir::match<ir::ConcatView>(unsqueeze->data()) : std::nullopt;
  return concat && concat->parts().size() == 2 && !has_single_elements(*concat);
}

ir::Value separate_unsqueezed(ir::Builder& builder, ir::ReductionView reduction) {
  const ir::UnsqueezeView unsqueeze = *reduction.data().node;
  const ir::Value joined = copy_opaquely(builder, unsqueeze.data());
  const ir::Value wide = builder.op(ops::Unsqueeze, {joined, unsqueeze.axes()});
  return ir::clone_with_input(builder, reduction, ir::ReductionView::Input::data, wide);
}

bool is_affected(ir::ReductionView reduction) {
  const auto concat = ir::match<ir::ConcatView>(reduction.data());
  return concat && concat->parts().size() == 2 && reduces_axis_of(reduction, *concat) &&
         !has_single_elements(*concat);
}

ir::Value separate(ir::Builder& builder, ir::ReductionView reduction) {
  const ir::ConcatView concat = *reduction.data().node;
  const ir::Value first = concat.parts()[0];
  const ir::Value last = concat.parts()[1];
  // The constant is likely the smaller one.
  const ir::Value twice = first.node->constant() != nullptr ? first : last;
  const ir::Value joined = ir::concat(builder, {first, last, twice}, concat.axis());
  return ir::clone_with_input(builder, reduction, ir::ReductionView::Input::data, joined);
}

}  // namespace

Workaround separate_concat_reductions() {
  return {.stage = Stage::kernels,
          .summary = "Keeps OpenVINO from replacing the maximum of a Concat by Maximum of its parts",
          .rows = {row<is_affected, separate>(Fault::concat_reduction, kExtrema),
                   row<is_unsqueezed_concat, separate_unsqueezed>(Fault::concat_reduction, kExtrema)}};
}

}  // namespace onnx2ir::passes
