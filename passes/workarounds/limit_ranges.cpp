// Workaround for range_away_from_limit: if the steps of a Range may lead away from its limit, the limit
// becomes the start, so that the Range is empty.
#include <optional>

#include "ir/size_rules.hpp"
#include "ir/views/reduction.hpp"
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
  return !matches(limit, op(ops::Select, any(), is_above, is_below));
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

}  // namespace

Workaround limit_ranges() {
  return {.stage = Stage::imported,
          .summary = "Makes Ranges empty whose steps lead away from the limit",
          .rows = {row<may_lead_away, limit_range>(Fault::range_away_from_limit, {ops::Range})}};
}

}  // namespace onnx2ir::passes
