// Workarounds for wrong fusions of Reduces with the operations before and after them. In most cases an opaque
// copy separates the operations.
#include <algorithm>
#include <optional>

#include "ir/views/elementwise.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the value is another one with additional axes of size 1.
bool is_unsqueezed(ir::Value value) {
  if (value.node->is(ops::Unsqueeze)) return true;
  const auto reshape = ir::match<ir::ReshapeView>(value);
  if (!reshape) return false;
  const ir::PartialShape& before = reshape->data().shape();
  const ir::PartialShape& after = value.shape();
  if (!before.has_rank() || before.rank() >= after.rank()) return false;
  const auto ones = [](const ir::PartialShape& shape) { return std::ranges::count(shape, ir::Dimension(1)); };
  return ones(after) > ones(before);
}

/// Whether the value is that of a Reduce, or will be: OpenVINO merges factors, and removes them if their
/// product is 1.
bool is_reduced(ir::Value value) {
  const auto without_factor = [](ir::Value product) {
    const auto multiply = ir::match<ir::MultiplyView>(product);
    if (!multiply) return ir::Value{};
    const bool is_factor_first = multiply->a().node->is(ops::Const);
    const ir::Value factor = is_factor_first ? multiply->a() : multiply->b();
    const bool is_scaled = factor.node->is(ops::Const) && factor.shape().is_scalar();
    return is_scaled ? (is_factor_first ? multiply->b() : multiply->a()) : ir::Value{};
  };
  const ir::Value unscaled = follow(value, without_factor);
  return unscaled && unscaled.node->is_one_of(kReductions);
}

/// Fault::unsqueezed_reduction. OpenVINO moves a Reduce before the Unsqueeze of its data. It then counts
/// negative axes from the end of a shape that has fewer of them, and puts the new axis in the wrong place if
/// the Reduce keeps its axes. Here such a Reduce counts its axes from the front, and an Unsqueeze restores
/// them.
bool is_moved_before_unsqueeze(ir::ReductionView reduction) {
  const ir::Value data = reduction.data();
  const bool follows_reduction = is_reduced(data);
  if (!data.shape().has_rank() || (!follows_reduction && !is_unsqueezed(data))) return false;
  const auto axes = ir::exact_values(reduction.axes());
  if (!axes || axes->empty()) return false;
  return (reduction.keep_dims() && !follows_reduction) ||
         std::ranges::any_of(*axes, [](std::int64_t axis) { return axis < 0; });
}

ir::Value count_axes_from_front(ir::Builder& builder, ir::ReductionView reduction) {
  const ir::Value data = reduction.data();
  const auto axes = sorted_axes(reduction.axes(), data.shape().rank());
  const ir::Value list = builder.integers(*axes, reduction.axes().type());
  if (is_reduced(data)) return ir::clone_with_input(builder, reduction, ir::ReductionView::Input::axes, list);
  const ir::Value reduced = builder.op(reduction.node().op().id, {data, list}, {{"keep_dims", false}});
  return reduction.keep_dims() ? ir::unsqueeze(builder, reduced, axes->unchecked()) : reduced;
}

/// Fault::reshaped_reduction: the data are a Reshape that adds axes of size 1 and splits or joins others,
/// possibly with an Unsqueeze, which OpenVINO makes part of the Reshape.
bool reduces_reshaped(ir::ReductionView reduction) {
  const ir::Value data = reduction.data();
  const auto unsqueeze = ir::match<ir::UnsqueezeView>(data);
  return is_unsqueezed(data) && (unsqueeze ? unsqueeze->data() : data).node->is(ops::Reshape);
}

// The CPU plugin fuses arithmetic with a constant per channel into the Reduce before it. If the data has
// three axes and the first or the last is reduced, the plugin takes the wrong axis for the channels
// (Fault::reduce_then_channel_constant). With a fourth axis, which is reduced as well, it takes the right
// one. If the data are integers, it misreads any constant, also a single number, unless it reduces the first
// axis together with others (Fault::integer_reduce_then_constant). A copy of the data keeps OpenVINO from
// removing the fourth axis.

/// Whether a constant has several elements, all of them along one axis.
bool is_along_one_axis(const ir::PartialShape& shape) {
  if (!shape.is_static()) return false;
  return std::ranges::count_if(shape, [](const ir::Dimension& size) { return size != ir::Dimension(1); }) ==
         1;
}

/// Whether the CPU plugin misreads the constant `other` in the use of a reduced value.
bool is_misread(const ir::Use& use, ir::Value other, ir::ElementType type) {
  if (other.type() != type) return false;
  return is_along_one_axis(other.shape()) || (ir::is_integral(type) && use.node->op().traits.is_arithmetic);
}

/// The search for a misread constant, at a use of a reduced value.
Search search_at(const ir::Use& use) {
  if (use.node->is(ops::ShapeOf) || use.node->outputs().size() != 1 || use.node->has_payload())
    return Search::skip;
  const ir::ElementType type = use.node->input(use.index).type();
  // The plugin computes -x as x * -1.
  bool has_misread_constant = use.node->is(ops::Negative) && ir::is_integral(type);
  for (std::size_t i = 0; i < use.node->inputs().size(); ++i) {
    const ir::Value other = use.node->input(i);
    if (i == use.index) continue;
    if (!ir::is_computed_from_constants(other)) return Search::skip;
    has_misread_constant |= is_misread(use, other, type);
  }
  return has_misread_constant ? Search::found : Search::follow;
}

/// Whether arithmetic with a constant that the CPU plugin misreads uses the result, directly or after
/// operations that the plugin fuses as well or moves after the arithmetic. Of several uses, OpenVINO may
/// remove all others: those of a normalisation.
bool meets_misread_constant(const ir::Node& reduction) {
  constexpr std::size_t kMostNodes = 64;
  return any_after(reduction, kMostNodes, search_at);
}

/// Whether the CPU plugin misreads constants after a reduction of these axes of three.
bool is_concerned(const ir::Integers& axes, ir::ElementType type) {
  if (axes.size() == 1) return axes.front() != 1 || ir::is_integral(type);
  return axes == ir::Integers{1, 2} && ir::is_integral(type);
}

/// The axes of a reduction of three, in order; no value for other ranks.
std::optional<ir::Integers> axes_of_three(ir::ReductionView reduction) {
  return reduction.data().shape().has_rank(3) ? sorted_axes(reduction.axes(), 3) : std::nullopt;
}

bool is_affected(ir::ReductionView reduction) {
  const auto axes = axes_of_three(reduction);
  return axes && is_concerned(*axes, reduction.data().type()) && meets_misread_constant(reduction);
}

ir::Value raise(ir::Builder& builder, ir::ReductionView reduction) {
  const ir::Value data = reduction.data();
  const auto axes = axes_of_three(reduction);
  // [a, b, c] as [a, b, 1, c]
  const ir::Value four_axes = ir::unsqueeze(builder, data, {2});
  ir::Integers reduced = {2};
  for (const std::int64_t axis : *axes) reduced.push_back(axis == 2 ? 3 : axis);
  std::ranges::sort(reduced);
  const ir::Value result = ir::reduce(builder, reduction.node().op().id, four_axes, reduced.unchecked());
  // If the fourth axis is reduced without keeping it, OpenVINO cannot undo this pass.
  return reduction.keep_dims() ? ir::unsqueeze(builder, result, axes->unchecked()) : result;
}

/// Whether OpenVINO moves a Transpose of three axes after the Reduce. The Reduce then has other axes, after
/// which the CPU plugin misreads constants.
bool has_misread_source_axes(ir::ReductionView reduction) {
  const auto axes = axes_of_three(reduction);
  const ir::ElementType type = reduction.data().type();
  const ir::Node& transpose = *reduction.data().node;
  if (!axes || is_concerned(*axes, type) || !transpose.is(ops::Transpose)) return false;
  const auto order = ir::exact_order(transpose);
  if (!order) return false;
  ir::Integers moved;
  for (const std::int64_t axis : *axes) moved.push_back((*order)[static_cast<std::size_t>(axis)]);
  std::ranges::sort(moved);
  return is_concerned(moved, type) && meets_misread_constant(reduction);
}

/// Whether the numbers are integers, or floats, and `kTest` holds.
template <auto kTest, bool kAreIntegers>
bool affects_numbers(ir::ReductionView reduction) {
  return ir::is_integral(reduction.data().type()) == kAreIntegers && kTest(reduction);
}

/// Whether a Reduce without axes to keep removes all axes that the Unsqueeze before it adds. OpenVINO leaves
/// it where it is.
bool removes_added_axes(ir::ReductionView reduction) {
  const auto unsqueeze = ir::match<ir::UnsqueezeView>(reduction.data());
  const std::size_t rank = reduction.data().shape().rank();
  const auto added = unsqueeze ? sorted_axes(unsqueeze->axes(), rank) : std::nullopt;
  const auto reduced = sorted_axes(reduction.axes(), rank);
  return !reduction.keep_dims() && added && reduced && std::ranges::includes(*reduced, *added);
}

/// Whether OpenVINO may move the reduction before an Unsqueeze, also one before another reduction, so that
/// its data have three axes.
bool may_lose_axes(ir::ReductionView reduction) {
  const ir::Value data = reduction.data();
  const ir::PartialShape& shape = data.shape();
  const ir::Traits& traits = data.node->op().traits;
  return ir::is_integral(data.type()) && shape.has_rank() && shape.rank() > 3 &&
         (traits.reshapes || traits.is_reduction) && !removes_added_axes(reduction) &&
         meets_misread_constant(reduction);
}

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
      .summary =
          "Keeps operations apart from Reduces that OpenVINO would fuse or move wrongly, counts axes from "
          "the front, and adds an axis before constants that would be misread",
      .stages = {
          {Stage::operations,
           {row<reduces_reshaped, separate_from_input>(Fault::reshaped_reduction, kReductions,
                                                       {ops::Reshape}),
            row<is_moved_before_unsqueeze, count_axes_from_front>(Fault::unsqueezed_reduction, kReductions)}},
          {Stage::kernels,
           {row<is_extremum_of_concat, join_twice>(Fault::concat_reduction, kExtrema, {ops::Concat}),
            row<is_unsqueezed_concat, separate_unsqueezed>(Fault::concat_reduction, kExtrema, {ops::Concat}),
            separating_row<precedes_channel_constant>(Fault::dynamic_reduce_channels, kReductions),
            row<affects_numbers<is_affected, true>, raise>(Fault::integer_reduce_then_constant,
                                                           kNumericReductions),
            row<may_lose_axes, separate_from_input>(Fault::integer_reduce_then_constant, kNumericReductions),
            row<affects_numbers<has_misread_source_axes, true>, separate_from_input>(
                Fault::integer_reduce_then_constant, kNumericReductions),
            row<is_mean_of_few_squares, separate_from_input>(Fault::narrow_rms_normalization,
                                                             {ops::ReduceMean}),
            row<affects_numbers<is_affected, false>, raise>(Fault::reduce_then_channel_constant,
                                                            kNumericReductions),
            row<affects_numbers<has_misread_source_axes, false>, separate_from_input>(
                Fault::reduce_then_channel_constant, kNumericReductions),
            separating_row<is_transposed_reduction>(Fault::transposed_unit_reduction, kReductions),
            separating_row<precedes_unit_reduction>(Fault::transposed_unit_reduction, {ops::Transpose})}}}};
}

}  // namespace onnx2ir::passes
