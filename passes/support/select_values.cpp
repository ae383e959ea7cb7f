#include "passes/support/select_values.hpp"

#include <cstdint>

#include "ir/views/unary.hpp"

namespace onnx2ir::passes {
namespace {

ir::Value negate(ir::Builder& builder, ir::Value condition) {
  if (const auto negation = ir::match<ir::LogicalNotView>(condition)) return negation->data();
  return builder.op(ops::LogicalNot, {condition});
}

std::optional<bool> known_boolean(ir::Value value) {
  const auto known = value.shape().is_scalar() ? ir::known_scalar(value) : std::nullopt;
  return known ? std::optional(*known != 0) : std::nullopt;
}

/// The CPU plugin's Select rejects some booleans: it computes them as u8, but outputs of a Loop stay boolean.
ir::Value choose_boolean(ir::Builder& builder, ir::Value condition, ir::Value a, ir::Value b) {
  const auto emit_and = [&](ir::Value x, ir::Value y) { return builder.op(ops::LogicalAnd, {x, y}); };
  const auto emit_or = [&](ir::Value x, ir::Value y) { return builder.op(ops::LogicalOr, {x, y}); };
  const auto known_a = known_boolean(a);
  const auto known_b = known_boolean(b);
  if (known_a && known_b) {
    if (*known_a == *known_b) return a;
    return *known_a ? condition : negate(builder, condition);
  }
  if (known_a) return *known_a ? emit_or(condition, b) : emit_and(negate(builder, condition), b);
  if (known_b) return *known_b ? emit_or(negate(builder, condition), a) : emit_and(condition, a);
  return emit_or(emit_and(condition, a), emit_and(negate(builder, condition), b));
}

}  // namespace

bool can_be_selected(ir::ElementType type) {
  if (type == ir::ElementType::boolean) return true;
  constexpr unsigned kSmallestFloat = 16;
  constexpr unsigned kSmallestInteger = 8;
  const unsigned bits = ir::info(type).bits;
  return ir::is_floating(type) ? bits >= kSmallestFloat : ir::is_integral(type) && bits >= kSmallestInteger;
}

ir::Value choose(ir::Builder& builder, ir::Value condition, ir::Value a, ir::Value b) {
  return a.type() == ir::ElementType::boolean ? choose_boolean(builder, condition, a, b)
                                              : builder.op(ops::Select, {condition, a, b});
}

ir::Value keep_if(ir::Builder& builder, ir::Value condition, bool expected, ir::Value value,
                  std::size_t axis) {
  const std::vector<std::int64_t> once(value.shape().rank(), 1);
  std::vector<std::int64_t> never = once;
  never[axis] = 0;
  const ir::Value repeats = builder.op(ops::Select, {condition, builder.integers(expected ? once : never),
                                                     builder.integers(expected ? never : once)});
  return builder.op(ops::Tile, {value, repeats});
}

}  // namespace onnx2ir::passes
