// Workarounds for quotients and remainders that the CPU plugin computes wrongly. The remainder of integers is
// subtracted from the dividend first, so that the quotient is an integer, and nothing is rounded.
#include <algorithm>
#include <cmath>

#include "ir/views/elementwise.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// The input of a node whose other inputs are constants, or null.
ir::Value only_computed_input(const ir::Node& node) {
  ir::Value found;
  if (node.outputs().size() != 1 || node.has_payload()) return {};
  for (const ir::Value input : node.inputs()) {
    if (ir::is_computed_from_constants(input)) continue;
    if (found) return {};
    found = input;
  }
  return found;
}

/// Whether the value is reduced, and its other operations have one use and constants as their other inputs,
/// so that the plugin may fuse them.
bool is_reduced(ir::Value value) {
  constexpr int kMaxSteps = 64;  // bounds the time for long chains of divisions
  for (int step = 0; step < kMaxSteps && value && ir::is_integral(value.type()) && is_used_once(value);
       ++step) {
    if (value.node->op().traits.is_reduction) return true;
    value = only_computed_input(*value.node);
  }
  return false;
}

/// Fault::integer_reduce_then_division. The CPU plugin fuses the division of a reduced integer by a constant
/// into the Reduce and rounds the quotient to the nearest integer. The second use of the dividend prevents
/// the fusion.
bool divides_reduced(ir::DivideView divide) {
  return ir::is_computed_from_constants(divide.b()) && is_reduced(divide.a());
}

/// The dividend without its remainder.
ir::Value subtract_remainder(ir::Builder& builder, ir::DivideView divide) {
  const ir::Op remainder = divide.m_pythondiv().value_or(true) ? ops::FloorMod : ops::Mod;
  const ir::Value rest = builder.op(remainder, {divide.a(), divide.b()});
  return builder.op(ops::Subtract, {divide.a(), rest});
}

ir::Value divide_multiple(ir::Builder& builder, ir::DivideView divide) {
  const ir::Value multiple = subtract_remainder(builder, divide);
  return ir::clone_with_input(builder, divide, ir::DivideView::Input::a, multiple);
}

/// Whether `condition` says where `numbers` are infinite: as below, or as infinity_check_broadcast computes
/// it.
bool finds_infinity(ir::Value condition, const ir::Value& numbers) {
  const auto is_infinity = [](ir::Value value) {
    return are_known(value, [](double number) { return std::isinf(number); });
  };
  return matches(condition, op(ops::IsInf, same(numbers))) ||
         matches(condition, commutative(ops::Equal, op(ops::Abs, same(numbers)), is_infinity));
}

/// Whether the use is that of a Select which takes the dividend where the divisor is infinite.
bool is_selected(const ir::Use& use, ir::ModView mod) {
  const auto select = ir::match<ir::SelectView>(*use.node);
  const ir::Value divisor = mod.b();
  const auto is_test = [&](ir::Value value) { return finds_infinity(value, divisor); };
  return select && use.index == ir::SelectView::Input::else_value && select->then_value() == mod.a() &&
         matches(select->condition(), commutative(ops::LogicalAnd, is_test, any()));
}

/// Fault::mod_by_infinity. Where the divisor is infinite, the remainder of a finite number is the number.
bool may_divide_by_infinity(ir::ModView mod) {
  if (!ir::is_floating(mod.a().type()) || are_finite(mod.b())) return false;
  return !std::ranges::all_of(mod.output(0).uses, [&](const ir::Use& use) { return is_selected(use, mod); });
}

/// a - trunc(a / b) * b; a if b is infinite.
ir::Value keep_dividend(ir::Builder& builder, ir::ModView mod) {
  const ir::Value a = mod.a();
  const ir::Value b = mod.b();
  const ir::Value remainder = builder.op(ops::Mod, {a, b});
  const ir::Value is_infinite =
      builder.op(ops::IsInf, {b}, {{"detect_negative", true}, {"detect_positive", true}});
  const ir::Value keeps_dividend = builder.op(ops::LogicalAnd, {is_infinite, builder.op(ops::IsFinite, {a})});
  return builder.op(ops::Select, {keeps_dividend, a, remainder});
}

/// Fault::truncated_quotients. The CPU plugin rounds quotients of integers toward zero, also with
/// m_pythondiv, which means toward minus infinity.
bool rounds_negative_quotients_down(ir::DivideView divide) {
  return ir::is_signed_integral(divide.a().type()) && divide.m_pythondiv().value_or(true) &&
         !(are_at_least(divide.a(), 0) && are_at_least(divide.b(), 0));
}

ir::Value divide_without_rounding(ir::Builder& builder, ir::DivideView divide) {
  const ir::Value multiple = subtract_remainder(builder, divide);
  return builder.op(ops::Divide, {multiple, divide.b()}, {{"m_pythondiv", false}});
}

}  // namespace

Workaround legalize_divisions() {
  return {
      .stage = Stage::operations,
      .summary =
          "Subtracts remainders before divisions of integers, and selects the dividend where a Mod divides "
          "by infinity",
      .rows = {row<divides_reduced, divide_multiple>(Fault::integer_reduce_then_division, {ops::Divide}),
               row<may_divide_by_infinity, keep_dividend>(Fault::mod_by_infinity, {ops::Mod}),
               row<rounds_negative_quotients_down, divide_without_rounding>(Fault::truncated_quotients,
                                                                            {ops::Divide})}};
}

}  // namespace onnx2ir::passes
