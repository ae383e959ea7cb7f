// The CPU plugin fuses arithmetic with a constant per channel into the Reduce before it. If the data has
// three axes and the first or the last is reduced, the plugin takes the wrong axis for the channels
// (reduce_then_channel_constant in tests/faults). With a fourth axis, which is reduced as well, it takes the
// right one. If the data are integers, it misreads any constant, also a single number, unless it reduces the
// first axis together with others (integer_reduce_then_constant). A copy of the data keeps OpenVINO from
// removing the fourth axis.
#include <algorithm>

#include "ir/views/groups.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

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

}  // namespace

Workaround raise_reduce_rank() {
  return {.stage = Stage::kernels,
          .summary =
              "Adds an axis to Reduces of three axes if a constant that the CPU plugin misreads is applied "
              "to the result",
          .rows = {row<affects_numbers<is_affected, true>, raise>(Fault::integer_reduce_then_constant,
                                                                  kNumericReductions),
                   row<may_lose_axes, separate_from_input>(Fault::integer_reduce_then_constant,
                                                           kNumericReductions),
                   row<affects_numbers<has_misread_source_axes, true>, separate_from_input>(
                       Fault::integer_reduce_then_constant, kNumericReductions),
                   row<affects_numbers<is_affected, false>, raise>(Fault::reduce_then_channel_constant,
                                                                   kNumericReductions),
                   row<affects_numbers<has_misread_source_axes, false>, separate_from_input>(
                       Fault::reduce_then_channel_constant, kNumericReductions)}};
}

}  // namespace onnx2ir::passes
