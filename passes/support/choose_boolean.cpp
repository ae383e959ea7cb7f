#include "passes/support/choose_boolean.hpp"

#include <cstdint>

#include "ir/views/unary.hpp"

namespace onnx2ir::passes {
namespace {

ir::Value negated(ir::Builder& builder, ir::Value condition) {
  if (const auto negation = ir::match<ir::LogicalNotView>(condition)) return negation->data();
  return builder.op(ops::LogicalNot, {condition});
}

enum class Known : std::uint8_t { no, is_true, is_false };

Known known_boolean(ir::Value value) {
  if (!value.shape().is_scalar()) return Known::no;
  const auto known = ir::known_scalar(value);
  if (!known) return Known::no;
  return *known != 0 ? Known::is_true : Known::is_false;
}

}  // namespace

bool can_be_selected(ir::ElementType type) {
  if (type == ir::ElementType::boolean) return true;
  constexpr unsigned kSmallestFloat = 16;
  constexpr unsigned kSmallestInteger = 8;
  const unsigned bits = ir::info(type).bits;
  return ir::is_floating(type) ? bits >= kSmallestFloat : ir::is_integral(type) && bits >= kSmallestInteger;
}

ir::Value choose_boolean(ir::Builder& builder, ir::Value condition, ir::Value a, ir::Value b) {
  const auto both = [&](ir::Value x, ir::Value y) { return builder.op(ops::LogicalAnd, {x, y}); };
  const auto either = [&](ir::Value x, ir::Value y) { return builder.op(ops::LogicalOr, {x, y}); };
  const Known known_a = known_boolean(a);
  const Known known_b = known_boolean(b);
  if (known_a != Known::no && known_a == known_b) return a;
  if (known_a == Known::is_true && known_b == Known::is_false) return condition;
  if (known_a == Known::is_false && known_b == Known::is_true) return negated(builder, condition);
  if (known_a == Known::is_true) return either(condition, b);
  if (known_a == Known::is_false) return both(negated(builder, condition), b);
  if (known_b == Known::is_true) return either(negated(builder, condition), a);
  if (known_b == Known::is_false) return both(condition, a);
  return either(both(condition, a), both(negated(builder, condition), b));
}

}  // namespace onnx2ir::passes
