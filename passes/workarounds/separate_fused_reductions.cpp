// Workarounds for wrong fusions of Reduces with the operations before and after them. In most cases an opaque
// copy separates the operations.
#include <algorithm>
#include <optional>

#include "ir/views/elementwise.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `node` is a Reduce that removes axes and keeps others of size 1.
bool is_unit_reduction(const ir::Node& node) {
  if (!node.op().traits.is_reduction || ir::ReductionView(node).keep_dims()) return false;
  const ir::PartialShape& shape = node.output(0).shape;
  return shape.rank() > 1 && shape.has(1);
}

/// Fault::transposed_unit_reduction: OpenVINO moves the Transpose after the Reduce, also after a
/// FakeQuantize.
bool precedes_unit_reduction(const ir::Node& node) {
  const auto& uses = node.output(0).uses;
  return std::ranges::any_of(uses, [&](const ir::Use& use) {
    const ir::Node* reader = use.node;
    if (reader->is(ops::FakeQuantize)) {
      reader = only_reader(*reader);
    } else if (uses.size() > 1) {
      return false;
    }
    return reader != nullptr && is_unit_reduction(*reader);
  });
}

/// Whether OpenVINO may remove the Reshape `node` after a Reduce that does not keep its axes. `reduced` is
/// the result of the Reduce. OpenVINO takes the Reshape for one that restores the axes if it has the rank of
/// the data, and all of its sizes but one are copied or are 1. The axes of the Reduce are not examined: they
/// are others once OpenVINO has moved the Reduce before an Unsqueeze, or merged it with a Reduce or
/// Transpose.
bool seems_to_restore_axes(const ir::PartialShape& reduced, const ir::Node& node) {
  const ir::PartialShape& result = node.output(0).shape;
  if (!result.has_rank() || result.rank() < 2 || result.rank() > reduced.rank() || result == reduced)
    return false;
  const std::ptrdiff_t units = std::ranges::count(reduced, ir::Dimension(1));
  if (result.rank() + static_cast<std::size_t>(units) < reduced.rank()) return false;
  const auto reshape = ir::match<ir::ReshapeView>(node);
  const auto wanted = reshape && reshape->special_zero() ? ir::exact_values(reshape->shape()) : std::nullopt;
  std::ptrdiff_t copied = std::ranges::count(result, ir::Dimension(1));
  if (wanted) copied += std::ranges::count(*wanted, 0);
  return copied + 1 >= static_cast<std::ptrdiff_t>(result.rank());
}

/// Whether `reduced` is read by a Transpose that may move axes of size 1 of it.
bool has_unit_transpose(const ir::Output& reduced) {
  return std::ranges::any_of(reduced.shape, [](const ir::Dimension& size) { return size.admits(1); }) &&
         is_read_by(reduced, {ops::Transpose});
}

/// Whether OpenVINO may merge `node` with a Reshape before or after it, or remove it: arithmetic with one
/// number that is 0 or 1, possibly only together with the next one.
bool may_join_reshapes(const ir::Node& node) {
  if (node.op().traits.reshapes || node.is(ops::Transpose)) return true;
  if (!node.is_one_of(kSumsAndFactors)) return false;
  const ir::Value constant = constant_operand(node);
  return constant && constant.shape().element_count() == 1;
}

/// Fault::transposed_unit_reduction. OpenVINO merges consecutive Reshapes, also those with several readers.
bool is_transposed_reduction(ir::ReductionView reduction) {
  constexpr std::size_t kMostNodes = 17;
  const ir::Output& reduced = reduction.output(0);
  if (reduction.keep_dims() || !reduced.shape.has_rank()) return false;
  if (has_unit_transpose(reduced)) return true;
  return any_after(reduction, kMostNodes, [&](const ir::Use& use) {
    if (!may_join_reshapes(*use.node)) return Search::skip;
    return seems_to_restore_axes(reduced.shape, *use.node) ? Search::found : Search::follow;
  });
}

/// Fault::dynamic_reduce_channels. The size 1, with which the constant widens the result, cannot be excluded.
bool precedes_channel_constant(ir::ReductionView reduction) {
  constexpr int kMostFused = 32;
  const ir::PartialShape& data = reduction.data().shape();
  const ir::PartialShape& reduced = reduction.output(0).shape;
  if (!data.has_rank() || data.rank() < 2 || data[1].is_static() || !data[1].admits(1)) return false;
  const auto axes = sorted_axes(reduction.axes(), data.rank());
  if (!axes || !reduced.has_rank()) return false;
  const auto is_reduced = [&](std::int64_t axis) { return std::ranges::count(*axes, axis) > 0; };
  if (is_reduced(1)) return false;
  const std::size_t channels = !reduction.keep_dims() && is_reduced(0) ? 0 : 1;
  const ir::Node* reader = fused_reader(reduction);
  for (int count = 0; count < kMostFused && reader != nullptr; ++count) {
    const ir::Value constant = constant_operand(*reader);
    // Another operand widens the result; nothing after it is fused.
    if (!constant && reader->inputs().size() > 1) return false;
    if (constant && std::ranges::count(axes_of(constant, reduced.rank()), channels) > 0) return true;
    reader = fused_reader(*reader);
  }
  return false;
}

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

/// Fault::concat_reduction. OpenVINO replaces ReduceMax or ReduceMin along the axis of a Concat of two
/// tensors by Maximum or Minimum of the two, even if they have several elements along that axis.
bool is_extremum_of_concat(ir::ReductionView reduction) {
  const auto concat = ir::match<ir::ConcatView>(reduction.data());
  return concat && concat->parts().size() == 2 && reduces_axis_of(reduction, *concat) &&
         !has_single_elements(*concat);
}

/// Repeats one tensor in the Concat. That does not change the maximum or minimum, and OpenVINO does not
/// replace a Concat of three tensors.
ir::Value join_twice(ir::Builder& builder, ir::ReductionView reduction) {
  const ir::ConcatView concat = *reduction.data().node;
  const ir::Value first = concat.parts()[0];
  const ir::Value last = concat.parts()[1];
  // The constant is likely the smaller one.
  const ir::Value twice = first.node->constant() != nullptr ? first : last;
  const ir::Value joined = ir::concat(builder, {first, last, twice}, concat.axis());
  return ir::clone_with_input(builder, reduction, ir::ReductionView::Input::data, joined);
}

/// The numbers of type f32 in a register of 512 bits.
constexpr std::int64_t kVector = 16;

bool is_square(const ir::Node& node) {
  if (const auto power = ir::match<ir::PowerView>(node)) return ir::exact_number(power->exponent()) == 2.0;
  return node.is(ops::Multiply) && node.input(0) == node.input(1);
}

/// Fault::narrow_rms_normalization. The kernel of x / sqrt(mean(x^2) + e) * scale ends the process if it
/// normalises fewer numbers than a vector register holds. OpenVINO does not use it for a copy of the squares.
bool is_mean_of_few_squares(ir::ReductionView mean) {
  const ir::PartialShape& shape = mean.data().shape();
  if (!shape.has_rank() || shape.rank() == 0 || !mean.keep_dims() || !is_square(*mean.data().node))
    return false;
  const std::size_t last = shape.rank() - 1;
  return sorted_axes(mean.axes(), shape.rank()) == ir::Integers{static_cast<std::int64_t>(last)} &&
         shape[last].min < kVector;
}

}  // namespace

Workaround separate_fused_reductions() {
  return {
      .stage = Stage::kernels,
      .summary = "Keeps operations apart from Reduces that OpenVINO would fuse wrongly",
      .rows = {
          row<is_extremum_of_concat, join_twice>(Fault::concat_reduction, kExtrema, {ops::Concat}),
          row<is_unsqueezed_concat, separate_unsqueezed>(Fault::concat_reduction, kExtrema, {ops::Concat}),
          separating_row<precedes_channel_constant>(Fault::dynamic_reduce_channels, kReductions),
          row<is_mean_of_few_squares, separate_from_input>(Fault::narrow_rms_normalization,
                                                           {ops::ReduceMean}),
          separating_row<is_transposed_reduction>(Fault::transposed_unit_reduction, kReductions),
          separating_row<precedes_unit_reduction>(Fault::transposed_unit_reduction, {ops::Transpose})}};
}

}  // namespace onnx2ir::passes
