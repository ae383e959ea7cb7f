// Workarounds for operands that give the size of a result: the limit of a Range, the k of a TopK, the bounds
// of a Slice, pads, and the shape of random numbers.
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/inference.hpp"
#include "ir/size_expression.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/random.hpp"
#include "ir/views/reduction.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

/// Whether inference knows that `high` is not below `low`. Exporters count positions after a past from its
/// length to the sum of two lengths.
bool is_known_to_ascend(Value low, Value high) {
  if (!ir::is_integral(low.type()) || !ir::is_integral(high.type())) return false;
  ir::SizeTable& sizes = low.node->graph().sizes();
  const ir::Size length = sizes.difference(ir::size_in(high, 0), ir::size_in(low, 0));
  if (length != nullptr && length->least().value_or(-1) >= 0) return true;
  const auto least = ir::known_values(low);
  const auto most = ir::known_values(high);
  return least && most && least->size() == 1 && most->size() == 1 && least->front().max <= most->front().min;
}

/// Whether steps of one sign lead from `start` to `limit`, or the two are equal.
bool is_reachable(Value start, Value limit, bool ascends) {
  const auto number = known_number(start);
  const auto is_start = [&](Value value) {
    return value == start || matches(value, op(ops::Convert, same(start))) ||
           (number && known_number(value) == number);
  };
  return is_start(limit) ||
         matches(limit, commutative(ascends ? ops::Maximum : ops::Minimum, is_start, any())) ||
         is_known_to_ascend(ascends ? start : limit, ascends ? limit : start);
}

/// Fault::range_away_from_limit. If the steps of a Range may lead away from its limit, the limit becomes the
/// start, so that the Range is empty.
bool may_lead_away(ir::RangeView range) {
  const Value start = range.start();
  const Value limit = range.stop();
  const auto step = known_number(range.step());
  if (step) {
    const bool is_known = known_number(start) && known_number(limit);
    return !is_known && !is_reachable(start, limit, *step > 0);
  }
  const auto is_above = [&](Value value) { return is_reachable(start, value, true); };
  const auto is_below = [&](Value value) { return is_reachable(start, value, false); };
  return !matches(limit, selection(any(), is_above, is_below));
}

/// A type for comparisons of start and limit, which may differ in type in an IR of others. Not f16, because
/// an integer can be infinite in it.
ir::ElementType common_type(ir::ElementType a, ir::ElementType b) {
  using ir::ElementType;
  if (a == b) return a;
  if (!ir::is_floating(a) && !ir::is_floating(b)) return ElementType::i64;
  return a == ElementType::f64 || b == ElementType::f64 ? ElementType::f64 : ElementType::f32;
}

/// `limit`, or `start` if the steps lead away from it.
Value emit_reachable_limit(ir::Builder& builder, ir::RangeView range) {
  const ir::ElementType type = common_type(range.start().type(), range.stop().type());
  const Value start = ir::convert(builder, range.start(), type);
  const Value limit = ir::convert(builder, range.stop(), type);
  const auto step = known_number(range.step());
  if (step) return builder.op(*step > 0 ? ops::Maximum : ops::Minimum, {start, limit});
  const Value above = builder.op(ops::Maximum, {start, limit});
  const Value below = builder.op(ops::Minimum, {start, limit});
  const Value zero = builder.number_like(0, range.step());
  return builder.op(ops::Select, {builder.op(ops::Greater, {range.step(), zero}), above, below});
}

Value limit_range(ir::Builder& builder, ir::RangeView range) {
  return ir::clone_with_input(builder, range, ir::RangeView::Input::stop,
                              emit_reachable_limit(builder, range));
}

std::size_t axis_of(ir::TopKView top) {
  return ir::normalize_axis(top.axis(), top.data().shape().rank());
}

/// Whether k is positive: also the larger of an unknown and a positive number.
bool is_positive(Value k) {
  const auto is_known = [](Value value) { return are_at_least(value, 1); };
  return is_known(k) || (k.node->is(ops::Maximum) && std::ranges::any_of(k.node->inputs(), is_known));
}

/// Fault::topk_of_zero. A TopK whose k may be 0 selects at least one element, and a Slice removes it if k is
/// 0. If k is the size of the axis, the data is empty as well, and the plugin does not run the operation.
bool may_select_none(ir::TopKView top) {
  const Value k = top.k();
  if (!top.data().shape().has_rank() || is_positive(k)) return false;
  return !ir::is_size_of(k, 0, top.data(), axis_of(top));
}

/// A TopK along an axis of size 0 gives its data.
void select_none(ir::Builder& builder, ir::Node& node) {
  const Value data = ir::TopKView(node).data();
  ir::replace_all_uses(node.value(0), data);
  ir::replace_all_uses(node.value(1), ir::convert(builder, data, node.value(1).type()));
}

void select_one(ir::Builder& builder, ir::Node& node) {
  const ir::TopKView top = node;
  if (top.data().shape()[axis_of(top)] == ir::Dimension(0)) return select_none(builder, node);
  const Value k = top.k();
  const Value some = builder.op(ops::Maximum, {k, builder.integer(1, k.type())});
  const Value selected = ir::clone_with_input(builder, node, ir::TopKView::Input::k, some);
  const Value count = ir::convert(builder, ir::flatten(builder, k), ir::ElementType::i64);
  const auto axis = static_cast<std::int64_t>(axis_of(top));
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    const Value none = builder.integers({0});
    ir::replace_all_uses(node.value(i), ir::slice(builder, selected.node->value(i), none, count, axis));
  }
}

/// The end of a Slice backwards of an axis of one element.
constexpr std::int64_t kBeforeOnlyElement = -2;

struct Bounds {
  ir::Integers starts;
  ir::Integers stops;
};

bool is_computed(Value bound) {
  return bound.node->constant() == nullptr;
}

/// Constant bounds that select the same elements; no value if the elements are not known.
std::optional<Bounds> constant_bounds(ir::SliceView slice) {
  const ir::PartialShape& from = slice.data().shape();
  const ir::PartialShape& to = slice.output(0).shape;
  const auto axes = ir::exact_values(slice.axes());
  const auto steps = ir::exact_values(slice.step());
  const auto starts = ir::known_values(slice.start());
  const auto stops = ir::known_values(slice.stop());
  if (!axes || !steps || !starts || !stops) return std::nullopt;
  Bounds bounds;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t axis = ir::normalize_axis((*axes)[i], from.rank());
    if ((*starts)[i].is_exact() && (*stops)[i].is_exact()) {
      bounds.starts.push_back((*starts)[i].min);
      bounds.stops.push_back((*stops)[i].min);
    } else if (from[axis] == ir::Dimension(1) && to[axis] == ir::Dimension(1)) {
      bounds.starts.push_back(0);
      bounds.stops.push_back((*steps)[i] > 0 ? 1 : kBeforeOnlyElement);
    } else {
      return std::nullopt;
    }
  }
  return bounds;
}

/// Fault::static_slice. If all sizes of a Slice are static, the CPU plugin expects constant bounds. OpenVINO
/// infers a static size from computed bounds if the axis has one element and all of the possible starts
/// select it, as in x[n::-1] for n >= 0.
bool has_computed_bounds(ir::SliceView slice) {
  return slice.data().shape().is_static() && slice.output(0).shape.is_static() &&
         (is_computed(slice.start()) || is_computed(slice.stop())) && constant_bounds(slice);
}

void set_constant_bounds(ir::Builder& builder, ir::Node& slice) {
  const Bounds bounds = *constant_bounds(slice);
  const ir::ElementType type = slice.input(ir::SliceView::Input::start).type();
  slice.set_input(ir::SliceView::Input::start, builder.integers(bounds.starts, type));
  slice.set_input(ir::SliceView::Input::stop, builder.integers(bounds.stops, type));
}

/// Fault::scalar_random_numbers. A scalar is drawn as a vector of one number.
bool draws_scalar(ir::RandomUniformView random) {
  return random.shape().shape().element_count() == 0;
}

Value draw_as_vector(ir::Builder& builder, ir::RandomUniformView random) {
  const Value vector =
      ir::clone_with_input(builder, random, ir::RandomUniformView::Input::shape, builder.integers({1}));
  return ir::reshape(builder, vector, std::vector<std::int64_t>{});
}

/// The pads that bring a decoder's data to the size of the encoder's, n - 2 * floor(n / 2), are not negative.
bool may_shrink(ir::Value pads, std::size_t axis, const ir::ValueRange& pad) {
  if (pad.is_exact() || pad.min >= 0) return false;
  const ir::Size size = ir::size_in(pads, axis);
  return size == nullptr || size->least().value_or(-1) < 0;
}

/// Fault::negative_run_time_pads. OpenVINO infers the smallest size of a padded axis as if dynamic pads were
/// not negative, and the CPU plugin fails if they are. The result is the input with pads that may be
/// negative, 1 or 2, along an axis that has elements; 0 without such an input.
std::size_t shrinking_pads(ir::PadView pad) {
  const ir::PartialShape& shape = pad.data().shape();
  const auto begins = ir::known_values(pad.begins());
  const auto ends = ir::known_values(pad.ends());
  if (!shape.has_rank() || !begins || !ends) return 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].min == 0) continue;
    if (may_shrink(pad.begins(), axis, (*begins)[axis])) return 1;
    if (may_shrink(pad.ends(), axis, (*ends)[axis])) return 2;
  }
  return 0;
}

/// Hides the bounds of the pads. A Reshape gives the result its static sizes again.
ir::Value hide_pads(ir::Builder& builder, ir::PadView pad) {
  const std::size_t index = shrinking_pads(pad);
  const ir::PartialShape known = pad.output(0).shape;
  const ir::Value pads = hide_elements(builder, pad.node().input(index), known.rank());
  return reshape_to_static_sizes(builder, ir::clone_with_input(builder, pad, index, pads), known);
}

/// Fault::sliced_size. OpenVINO takes a Slice to be as long as the whole axis if both sizes have the same
/// bounds, such as 0 to 15, although start or end is known only at run time. It then computes each of the two
/// sizes from the other one.
bool seems_to_take_all(ir::SliceView slice) {
  const ir::Value data = slice.data();
  const ir::PartialShape& result = slice.output(0).shape;
  const auto axes = ir::exact_values(slice.axes());
  // Strings are moved by Gather.
  if (!axes || !data.shape().has_rank() || data.type() == ir::ElementType::string) return false;
  // guard_zero_iterations takes all rows or none. A ShapeOf of these rows would be worse: without iterations
  // they have size 0, and OpenVINO would compute the sizes of captured values from it.
  if (data.node->is(ops::Loop)) return false;
  // If both ends are constant, sizes of the same bounds are equal.
  if (ir::exact_values(slice.start()) && ir::exact_values(slice.stop())) return false;
  for (const std::int64_t listed : *axes) {
    const std::size_t axis = ir::normalize_axis(listed, data.shape().rank());
    const ir::Dimension& size = data.shape()[axis];
    const ir::Dimension& part = result[axis];
    if (has_bounds(size) && size.min == part.min && size.max == part.max &&
        (size.expression() == nullptr || size.expression() != part.expression()))
      return true;
  }
  return false;
}

/// A Reshape hides the sizes of the data, so that they have no upper bound. A Reshape from a vector to a
/// vector would be removed, so a vector is sliced as a column.
ir::Value hide_sliced_sizes(ir::Builder& builder, ir::SliceView slice) {
  const std::size_t rank = slice.data().shape().rank();
  const ir::Value data = rank == 1 ? ir::unsqueeze(builder, slice.data(), {1}) : slice.data();
  const ir::Value sizes = hide_elements(builder, ir::compute_shape_of(builder, data), data.shape().rank());
  const ir::Value hidden = ir::reshape(builder, data, sizes);
  const ir::Value copy = builder.op(ops::Slice, {hidden, slice.start(), slice.stop(), slice.step(),
                                                 rank == 1 ? builder.integers({0}) : slice.axes()});
  if (rank == 1) return ir::flatten(builder, copy);
  return reshape_to_static_sizes(builder, copy, slice.output(0).shape);
}

}  // namespace

Workaround legalize_size_operands() {
  return {.summary =
              "Replaces operands that give the sizes of Ranges, Slices, TopKs and random numbers and that "
              "are read wrongly, and hides bounds of sizes and pads from which OpenVINO infers wrong sizes",
          .stages = {{Stage::imported,
                      {row<may_lead_away, limit_range>(Fault::range_away_from_limit, {ops::Range}),
                       row<draws_scalar, draw_as_vector>(Fault::scalar_random_numbers, {ops::RandomUniform}),
                       row<has_computed_bounds, set_constant_bounds>(Fault::static_slice, {ops::Slice}),
                       row<may_select_none, select_one>(Fault::topk_of_zero, {ops::TopK})}},
                     {Stage::kernels,
                      {row<shrinking_pads, hide_pads>(Fault::negative_run_time_pads, {ops::Pad}),
                       row<seems_to_take_all, hide_sliced_sizes>(Fault::sliced_size, {ops::Slice})}}}};
}

}  // namespace onnx2ir::passes
