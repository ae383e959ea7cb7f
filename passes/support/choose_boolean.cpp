#include "passes/support/choose_boolean.hpp"

#include <cstdint>

#include "ir/views/unary.hpp"

namespace onnx2ir::passes {
namespace {

ir::Value negate(ir::Builder& builder, ir::Value condition) {
  if (const auto negation = ir::match<ir::LogicalNotView>(condition)) return negation->data();
  return builder.op(ops::LogicalNot, {condition});
}

enum class KnownBoolean : std::uint8_t { no, is_true, is_false };

KnownBoolean known_boolean(ir::Value value) {
  if (!value.shape().is_scalar()) return KnownBoolean::no;
  const auto known = ir::known_scalar(value);
  if (!known) return KnownBoolean::no;
  return *known != 0 ? KnownBoolean::is_true : KnownBoolean::is_false;
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
  const KnownBoolean known_a = known_boolean(a);
  const KnownBoolean known_b = known_boolean(b);
  if (known_a != KnownBoolean::no && known_a == known_b) return a;
  if (known_a == KnownBoolean::is_true && known_b == KnownBoolean::is_false) return condition;
  if (known_a == KnownBoolean::is_false && known_b == KnownBoolean::is_true)
    return negate(builder, condition);
  if (known_a == KnownBoolean::is_true) return either(condition, b);
  if (known_a == KnownBoolean::is_false) return both(negate(builder, condition), b);
  if (known_b == KnownBoolean::is_true) return either(negate(builder, condition), a);
  if (known_b == KnownBoolean::is_false) return both(condition, a);
  return either(both(condition, a), both(negate(builder, condition), b));
}

}  // namespace onnx2ir::passes
