// Workarounds for quotients and remainders that are computed wrongly. The remainder is subtracted from the
// dividend first, so that the quotient is an integer, or a multiple of the divisor before a remainder.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/small_vector.hpp"
#include "ir/small_floats.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/unary.hpp"
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

ir::Value divide_without_fusion(ir::Builder& builder, ir::DivideView divide) {
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

// Fault::integer_remainder: the CPU plugin computes remainders of integers in f32, in which a number above
// 2^24, such as a hash, is rounded to another one. Subtracting the multiple that the quotient gives, also if
// that is rounded, leaves a small number with the same remainder.

constexpr std::int64_t kLargestExact = std::int64_t{1} << 24;

bool are_exact_in_f32(ir::Value integers) {
  const auto known = ir::known_values(integers);
  return known && std::ranges::all_of(*known, [](const ir::ValueRange& range) {
           return range.min >= -kLargestExact && range.max <= kLargestExact;
         });
}

/// Whether integers are sizes, places, counts or narrow numbers, or computed from them alone.
bool are_counts(ir::Value integers) {
  constexpr ir::OperationSet kCounts = {ops::FloorMod, ops::Mod, ops::NonZero, ops::ShapeOf, ops::TopK};
  constexpr ir::OperationSet kComputed = {
      ops::Abs,    ops::Add,       ops::Broadcast, ops::Concat,  ops::Convert,  ops::CumSum,
      ops::Divide, ops::Gather,    ops::Maximum,   ops::Minimum, ops::Multiply, ops::Negative,
      ops::Range,  ops::Reshape,   ops::Select,    ops::Slice,   ops::Squeeze,  ops::Subtract,
      ops::Tile,   ops::Transpose, ops::Unsqueeze};
  constexpr std::size_t kMostValues = 32;
  constexpr std::size_t kNarrow = 16;
  std::vector<ir::Value> sources{integers};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ir::Value value = sources[i];
    if (value.node->is_one_of(kCounts) || are_exact_in_f32(value)) continue;
    if (!ir::is_integral(value.type()) && value.type() != ir::ElementType::boolean) return false;
    if (ir::info(value.type()).bits <= kNarrow) continue;
    if (!value.node->is_one_of(kComputed)) return false;
    const auto inputs = value.node->inputs();
    sources.insert(sources.end(), inputs.begin(), inputs.end());
    if (sources.size() > kMostValues) return false;
  }
  return true;
}

/// Whether the dividend is already what divide_rest() leaves.
bool is_rest(ir::Value dividend, ir::Value divisor) {
  return matches(dividend, op(ops::Subtract, any(), op(ops::Multiply, any(), same(divisor))));
}

bool rounds_dividend(ir::FloorModView remainder) {
  const ir::Value x = remainder.a();
  if (!ir::is_signed_integral(x.type()) || ir::info(x.type()).bits < 32) return false;
  return !is_rest(x, remainder.b()) && !are_counts(x);
}

ir::Value divide_rest(ir::Builder& builder, ir::FloorModView remainder) {
  const ir::Value x = remainder.a();
  const ir::Value divisor = remainder.b();
  const ir::Value quotient = builder.op(ops::Divide, {x, divisor}, {{"m_pythondiv", false}});
  const ir::Value multiple = builder.op(ops::Multiply, {quotient, divisor});
  return builder.op(ops::FloorMod, {builder.op(ops::Subtract, {x, multiple}), divisor});
}

// Fault::rounded_quotients: OpenVINO multiplies by the reciprocal of the divisor, so that a quotient that
// should be an integer may be slightly smaller or larger: Floor(41 / 41) is 0. Its remainders are exact. The
// quotient is rounded to the nearest integer. x - Floor(x / d) * d is itself a remainder, and becomes one
// FloorMod.

/// Between a quotient and the operation that drops its fraction.
constexpr std::size_t kMostSteps = 8;

/// A conversion of whole numbers gives whole numbers in each type.
bool is_whole(ir::Value value) {
  const ir::Value source = before_conversions(value);
  return ir::is_integral(source.type()) ||
         are_known(source, [](double number) { return number == std::floor(number); });
}

/// The operand of `node` whose fractions can be dropped instead of those of the result: the node moves
/// elements, or limits them by whole numbers.
std::optional<std::size_t> operand_with_fractions(const ir::Node& node) {
  constexpr ir::OperationSet kMoves = {ops::Broadcast, ops::Gather,    ops::Reshape,  ops::Slice,
                                       ops::Squeeze,   ops::Transpose, ops::Unsqueeze};
  if (node.is_one_of(kMoves) || node.is(ops::ReLU)) return 0;
  if (const auto clamp = ir::match<ir::ClampView>(node)) {
    const bool is_by_whole =
        clamp->min() == std::floor(clamp->min()) && clamp->max() == std::floor(clamp->max());
    return is_by_whole ? std::optional<std::size_t>(0) : std::nullopt;
  }
  if (!node.is(ops::Maximum) && !node.is(ops::Minimum)) return std::nullopt;
  for (const std::size_t operand : {0U, 1U}) {
    if (is_whole(node.input(1 - operand))) return operand;
  }
  return std::nullopt;
}

/// A quotient of floating-point numbers whose fractions are dropped.
struct RoundedQuotient {
  struct Step {
    const ir::Node* node;
    std::size_t operand;
  };
  ir::DivideView quotient;
  base::SmallVector<Step, 2> steps;  ///< the operations behind the quotient, the last one first
};

/// The quotient that `node` converts to integers. No value if the product with the reciprocal is the same
/// number.
std::optional<RoundedQuotient> rounded_quotient(const ir::Node& node) {
  base::SmallVector<RoundedQuotient::Step, 2> steps;
  ir::Value value = node.input(0);
  while (!value.node->is(ops::Divide)) {
    const auto operand = operand_with_fractions(*value.node);
    if (!operand || steps.size() == kMostSteps) return std::nullopt;
    steps.push_back({value.node, *operand});
    value = value.node->input(*operand);
  }
  const ir::DivideView quotient = *value.node;
  if (!ir::is_floating(quotient.a().type()) || quotient.node().is_computed_from_constants() ||
      are_known(quotient.b(), is_power_of_two))
    return std::nullopt;
  return RoundedQuotient{quotient, steps};
}

/// The quotient if it is the operand itself. For Floor and Ceiling, nothing may be between: exact quotients
/// of a quantisation have a Floor of a limited quotient.
std::optional<RoundedQuotient> direct_quotient(const ir::Node& node) {
  const auto rounded = rounded_quotient(node);
  return rounded && rounded->steps.empty() ? rounded : std::nullopt;
}

/// The quotient without its remainder, as an integer, and the operations behind it.
ir::Value divide_multiple(ir::Builder& builder, const RoundedQuotient& rounded, ir::Value remainder) {
  const ir::Value multiple = builder.op(ops::Subtract, {rounded.quotient.a(), remainder});
  const ir::Value quotient = builder.op(ops::Divide, {multiple, rounded.quotient.b()});
  ir::Value whole = builder.op(ops::Round, {quotient}, {{"mode", "half_to_even"}});
  for (std::size_t left = rounded.steps.size(); left > 0; --left) {
    const RoundedQuotient::Step& step = rounded.steps[left - 1];
    whole = ir::clone_with_input(builder, *step.node, step.operand, whole);
  }
  return whole;
}

bool is_divisor(double number) {
  return std::isfinite(number) && number != 0;
}

/// The remainder of the dividend by `divisor`, which is the divisor of `quotient` or its negative:
/// subtracting it rounds the dividend down or up to a multiple. If the dividend is infinite, or the divisor
/// is infinite or 0, it is 0 instead of NaN, because such quotients have no fraction.
ir::Value emit_remainder(ir::Builder& builder, ir::DivideView quotient, ir::Value divisor) {
  const ir::Value dividend = quotient.a();
  if (!are_known(quotient.b(), is_divisor)) {
    const ir::Value remainder = builder.op(ops::FloorMod, {dividend, divisor});
    const ir::Value is_finite = builder.op(ops::IsFinite, {remainder});
    return builder.op(ops::Select, {is_finite, remainder, builder.number_like(0, remainder)});
  }
  // The largest number instead of infinity. The runtime computes f64 as f32.
  const double largest =
      std::min<double>(*ir::largest_finite(dividend.type()), std::numeric_limits<float>::max());
  const ir::Value clamped = builder.op(ops::Clamp, {dividend}, {{"min", -largest}, {"max", largest}});
  return builder.op(ops::FloorMod, {clamped, divisor});
}

/// If `value` is Floor(x / d) * d, the quotient.
std::optional<ir::DivideView> floored_multiple(ir::Value value) {
  ir::Value quotient;
  ir::Value divisor;
  const bool is_product = matches(
      value, commutative(ops::Multiply, op(ops::Floor, any(quotient, op(ops::Divide))), any(divisor)));
  if (!is_product || !are_equal(divisor, quotient.node->input(1))) return std::nullopt;
  return ir::DivideView(*quotient.node);
}

/// Whether `node` is x - Floor(x / d) * d.
bool is_remainder(ir::SubtractView difference) {
  const auto quotient = floored_multiple(difference.b());
  return quotient && ir::is_floating(difference.a().type()) && difference.a() == quotient->a();
}

ir::Value fuse_remainder(ir::Builder& builder, ir::SubtractView difference) {
  return builder.op(ops::FloorMod, {difference.a(), floored_multiple(difference.b())->b()});
}

/// Whether the Floor is used in remainders only, which fuse_remainder() replaces.
bool is_of_remainders(ir::FloorView floor) {
  return std::ranges::all_of(floor.output(0).uses, [](const ir::Use& product) {
    return product.node->is(ops::Multiply) &&
           std::ranges::all_of(product.node->output(0).uses, [](const ir::Use& use) {
             return use.index == 1 && use.node->is(ops::Subtract) && is_remainder(*use.node);
           });
  });
}

bool may_be_too_small(ir::FloorView floor) {
  return direct_quotient(floor) && !is_of_remainders(floor);
}

ir::Value round_down(ir::Builder& builder, ir::FloorView floor) {
  const RoundedQuotient rounded = *rounded_quotient(floor);
  return divide_multiple(builder, rounded, emit_remainder(builder, rounded.quotient, rounded.quotient.b()));
}

/// The remainder by -d has the sign of -d.
ir::Value round_up(ir::Builder& builder, ir::CeilingView ceiling) {
  const RoundedQuotient rounded = *rounded_quotient(ceiling);
  const ir::Value divisor = rounded.quotient.b();
  const ir::Value negative = builder.op(ops::Multiply, {divisor, builder.number_like(-1, divisor)});
  return divide_multiple(builder, rounded, emit_remainder(builder, rounded.quotient, negative));
}

/// A quotient that is limited and becomes an integer of 8 or 16 bits is a quantisation, which rounds.
bool drops_fraction(ir::ConvertView convert) {
  const ir::ElementType type = convert.output(0).type;
  if (!ir::is_integral(type)) return false;
  const auto rounded = rounded_quotient(convert);
  return rounded && (rounded->steps.empty() || ir::info(type).bits >= 32);
}

ir::Value round_to_zero(ir::Builder& builder, ir::ConvertView convert) {
  const RoundedQuotient rounded = *rounded_quotient(convert);
  const ir::Value remainder = builder.op(ops::Mod, {rounded.quotient.a(), rounded.quotient.b()});
  const ir::Value whole = divide_multiple(builder, rounded, remainder);
  return ir::clone_with_input(builder, convert, ir::ConvertView::Input::data, whole);
}

}  // namespace

Workaround legalize_divisions() {
  return {
      .summary =
          "Subtracts remainders before divisions of integers and before quotients whose fractions are "
          "dropped, multiples before remainders of integers, and selects the dividend where a Mod divides by "
          "infinity",
      .stages = {
          {Stage::imported,
           {row<may_be_too_small, round_down>(Fault::rounded_quotients, {ops::Floor}),
            row<direct_quotient, round_up>(Fault::rounded_quotients, {ops::Ceiling}),
            row<drops_fraction, round_to_zero>(Fault::rounded_quotients, {ops::Convert}),
            row<is_remainder, fuse_remainder>(Fault::rounded_quotients, {ops::Subtract})}},
          {Stage::operations,
           {row<rounds_dividend, divide_rest>(Fault::integer_remainder, {ops::FloorMod}),
            row<divides_reduced, divide_without_fusion>(Fault::integer_reduce_then_division, {ops::Divide}),
            row<may_divide_by_infinity, keep_dividend>(Fault::mod_by_infinity, {ops::Mod}),
            row<rounds_negative_quotients_down, divide_without_rounding>(Fault::truncated_quotients,
                                                                         {ops::Divide})}}}};
}

}  // namespace onnx2ir::passes
