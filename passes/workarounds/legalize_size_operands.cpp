// Workarounds for operands that give the size of a result: the limit of a Range, the k of a TopK, the bounds
// of a Slice, and the shape of random numbers.
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/inference.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/random.hpp"
#include "ir/views/reduction.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/constant_values.hpp"
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

}  // namespace

Workaround legalize_size_operands() {
  return {.stage = Stage::imported,
          .summary =
              "Replaces operands that give the sizes of Ranges, Slices, TopKs and random numbers and that "
              "are read wrongly",
          .rows = {row<may_lead_away, limit_range>(Fault::range_away_from_limit, {ops::Range}),
                   row<draws_scalar, draw_as_vector>(Fault::scalar_random_numbers, {ops::RandomUniform}),
                   row<has_computed_bounds, set_constant_bounds>(Fault::static_slice, {ops::Slice}),
                   row<may_select_none, select_one>(Fault::topk_of_zero, {ops::TopK})}};
}

}  // namespace onnx2ir::passes
