// Workaround for rounded_quotients: OpenVINO multiplies by the reciprocal of the divisor, so that a quotient
// that should be an integer may be slightly smaller or larger: Floor(41 / 41) is 0. Its remainders are exact.
// Here the remainder is subtracted from the dividend first, and the quotient is rounded to the nearest
// integer. x - Floor(x / d) * d is itself a remainder, and becomes one FloorMod.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/small_vector.hpp"
#include "ir/small_floats.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

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

Workaround round_quotients() {
  return {.stage = Stage::imported,
          .summary = "Subtracts remainders before quotients whose fractions are dropped",
          .rows = {row<may_be_too_small, round_down>(Fault::rounded_quotients, {ops::Floor}),
                   row<direct_quotient, round_up>(Fault::rounded_quotients, {ops::Ceiling}),
                   row<drops_fraction, round_to_zero>(Fault::rounded_quotients, {ops::Convert}),
                   row<is_remainder, fuse_remainder>(Fault::rounded_quotients, {ops::Subtract})}};
}

}  // namespace onnx2ir::passes
