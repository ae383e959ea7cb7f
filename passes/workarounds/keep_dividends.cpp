// Workaround for mod_by_infinity: where the divisor of a Mod is infinite, the remainder of a finite number is
// the number.
#include <algorithm>
#include <cmath>

#include "ir/views/elementwise.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

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

}  // namespace

Workaround keep_dividends() {
  return {.stage = Stage::operations,
          .summary = "Selects the dividend where a Mod divides by infinity",
          .rows = {row<may_divide_by_infinity, keep_dividend>(Fault::mod_by_infinity, {ops::Mod})}};
}

}  // namespace onnx2ir::passes
