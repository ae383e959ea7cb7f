// Workaround for rounded_quotients: OpenVINO multiplies by the reciprocal of the divisor, so that the
// quotient of an exact multiple may be just below or above the integer: Floor(41 / 41) is 0. Its remainders
// are exact. Here the remainder is subtracted from the dividend first, and the quotient is rounded to the
// nearest integer. x - Floor(x / d) * d is itself a remainder, and becomes one FloorMod.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/small_floats.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// The quotient of floating-point numbers that `node` converts to integers. No value if the product with the
/// reciprocal is the same number.
std::optional<ir::DivideView> rounded_quotient(const ir::Node& node) {
  const auto quotient = ir::match<ir::DivideView>(node.input(0));
  if (!quotient || !ir::is_floating(quotient->a().type()) || quotient->node().is_computed_from_constants())
    return std::nullopt;
  if (are_known(quotient->b(), is_power_of_two)) return std::nullopt;
  return quotient;
}

/// `quotient` without its remainder, as an integer.
ir::Value divide_multiple(ir::Builder& builder, ir::DivideView quotient, ir::Value remainder) {
  const ir::Value multiple = builder.op(ops::Subtract, {quotient.a(), remainder});
  const ir::Value whole = builder.op(ops::Divide, {multiple, quotient.b()});
  return builder.op(ops::Round, {whole}, {{"mode", "half_to_even"}});
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
  return rounded_quotient(floor) && !is_of_remainders(floor);
}

ir::Value round_down(ir::Builder& builder, ir::FloorView floor) {
  const ir::DivideView quotient = *rounded_quotient(floor);
  return divide_multiple(builder, quotient, emit_remainder(builder, quotient, quotient.b()));
}

/// The remainder by -d has the sign of -d.
ir::Value round_up(ir::Builder& builder, ir::CeilingView ceiling) {
  const ir::DivideView quotient = *rounded_quotient(ceiling);
  const ir::Value negative = builder.op(ops::Multiply, {quotient.b(), builder.number_like(-1, quotient.b())});
  return divide_multiple(builder, quotient, emit_remainder(builder, quotient, negative));
}

bool drops_fraction(ir::ConvertView convert) {
  return ir::is_integral(convert.output(0).type) && rounded_quotient(convert);
}

ir::Value round_to_zero(ir::Builder& builder, ir::ConvertView convert) {
  const ir::DivideView quotient = *rounded_quotient(convert);
  const ir::Value whole =
      divide_multiple(builder, quotient, builder.op(ops::Mod, {quotient.a(), quotient.b()}));
  return ir::clone_with_input(builder, convert, ir::ConvertView::Input::data, whole);
}

}  // namespace

Workaround round_quotients() {
  return {.stage = Stage::imported,
          .summary = "Subtracts remainders before quotients whose fractions are dropped",
          .rows = {row<may_be_too_small, round_down>(Fault::rounded_quotients, {ops::Floor}),
                   row<rounded_quotient, round_up>(Fault::rounded_quotients, {ops::Ceiling}),
                   row<drops_fraction, round_to_zero>(Fault::rounded_quotients, {ops::Convert}),
                   row<is_remainder, fuse_remainder>(Fault::rounded_quotients, {ops::Subtract})}};
}

}  // namespace onnx2ir::passes
