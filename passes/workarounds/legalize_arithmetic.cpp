// Replaces elementwise operations that the CPU plugin computes wrongly.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "ir/views/elementwise.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

using ir::ElementType;

/// The operation of `node`, computed in i32.
ir::Value compute_in_i32(ir::Builder& builder, const ir::Node& node) {
  return compute_in(builder, node, node.output(0).type, ElementType::i32);
}

/// Whether `node` gives integers of `kBits` bits.
template <unsigned kBits>
bool is_of_bits(const ir::Node& node) {
  const ElementType type = node.output(0).type;
  return ir::is_integral(type) && ir::info(type).bits == kBits;
}

bool is_narrow(const ir::Node& node) {
  constexpr std::int64_t kComputedBits = 32;
  return ir::info(node.output(0).type).bits < kComputedBits;
}

/// Whether all values of `from` are values of `to`.
bool is_contained(ElementType from, ElementType to) {
  const std::int64_t from_bits = ir::info(from).bits;
  const std::int64_t to_bits = ir::info(to).bits;
  if (ir::is_signed_integral(from) == ir::is_signed_integral(to)) return from_bits <= to_bits;
  return ir::is_signed_integral(to) && from_bits < to_bits;
}

/// Whether convert_by_wrapping() has computed `value`: the result of its last operation has `bits` bits.
bool is_wrapped(ir::Value value, std::int64_t bits, bool has_sign) {
  const std::int64_t sign = std::int64_t{1} << (bits - 1);
  const auto lowest = op(ops::BitwiseAnd, any(), integer(2 * sign - 1));
  return has_sign
             ? matches(value, op(ops::Subtract, op(ops::BitwiseXor, lowest, integer(sign)), integer(sign)))
             : matches(value, lowest);
}

/// Whether a Convert to 8 or 16 bits may saturate.
bool may_saturate(ir::ConvertView convert) {
  if (convert.node().notes.contains(ir::Note::rounded) || convert.data().shape().element_count() == 0)
    return false;
  const ElementType from = convert.data().type();
  const ElementType to = convert.output(0).type;
  const std::int64_t bits = ir::info(to).bits;
  if (!ir::is_integral(from) || !ir::is_integral(to) || (bits != 8 && bits != 16)) return false;
  return !is_contained(from, to) && !is_wrapped(convert.data(), bits, ir::is_signed_integral(to));
}

/// Converts the lowest bits of an integer to 8 or 16 bits. The bits above them are set to copies of the sign
/// or to 0, so that Convert does not saturate.
ir::Value convert_by_wrapping(ir::Builder& builder, ir::ConvertView convert) {
  const std::int64_t bits = ir::info(convert.output(0).type).bits;
  const bool has_sign = ir::is_signed_integral(convert.output(0).type);
  const auto number = [&](std::int64_t value) { return builder.integer(value, ElementType::i32); };
  const ir::Value whole = ir::convert(builder, convert.data(), ElementType::i32);
  ir::Value lowest = builder.op(ops::BitwiseAnd, {whole, number((std::int64_t{1} << bits) - 1)});
  if (has_sign) {
    const ir::Value sign = number(std::int64_t{1} << (bits - 1));
    lowest = builder.op(ops::Subtract, {builder.op(ops::BitwiseXor, {lowest, sign}), sign});
  }
  return builder.clone(convert, std::array{lowest}).value();
}

bool is_of_floats(const ir::Node& node) {
  return ir::is_floating(node.input(0).type());
}

/// a > b as b < a, which is false for NaN.
ir::Value swap_comparison(ir::Builder& builder, const ir::Node& node) {
  return builder.op(node.is(ops::Greater) ? ops::Less : ops::LessEqual, {node.input(1), node.input(0)});
}

bool detects_negative(const ir::Node& node) {
  return node.is(ops::IsFinite) || ir::IsInfView(node).detect_negative();
}

bool detects_positive(const ir::Node& node) {
  return node.is(ops::IsFinite) || ir::IsInfView(node).detect_positive();
}

/// Whether the last axis of what IsFinite or IsInf reads may be broadcast.
bool may_broadcast(const ir::Node& node) {
  const ir::PartialShape& shape = node.input(0).shape();
  if (shape.has_rank() && (shape.rank() == 0 || shape[shape.rank() - 1].is_static())) return false;
  return detects_negative(node) || detects_positive(node);
}

/// IsFinite and IsInf as comparisons.
ir::Value compare_with_infinity(ir::Builder& builder, const ir::Node& node) {
  const ir::Value x = node.input(0);
  const bool is_finite = node.is(ops::IsFinite);
  const ir::Value infinity = builder.number(std::numeric_limits<double>::infinity(), x.type());
  ir::Value checked = x;
  if (detects_negative(node)) checked = builder.op(detects_positive(node) ? ops::Abs : ops::Negative, {x});
  return builder.op(is_finite ? ops::Less : ops::Equal, {checked, infinity});
}

/// Whether a Power of integers has a small constant exponent, and the result the rank of the base.
bool is_integer_power(ir::PowerView power) {
  constexpr std::int64_t kMax = 16;
  const ir::Value base = power.base();
  const auto exponent = ir::exact_values(power.exponent());
  if (!ir::is_integral(base.type()) || !exponent || exponent->size() != 1) return false;
  if (exponent->front() < 1 || exponent->front() > kMax) return false;
  return base.shape().has_rank() && power.exponent().shape().rank() <= base.shape().rank();
}

/// Other powers of bytes are computed in i32.
bool is_other_power_of_bytes(const ir::Node& node) {
  return is_of_bits<8>(node) && !is_integer_power(node);
}

/// Decomposes an integer power into multiplications.
ir::Value multiply_repeatedly(ir::Builder& builder, ir::PowerView power) {
  ir::Value result;
  ir::Value square = power.base();
  for (std::int64_t left = ir::exact_values(power.exponent())->front(); left > 0; left /= 2) {
    if (left % 2 != 0) result = result ? builder.op(ops::Multiply, {result, square}) : square;
    if (left > 1) square = builder.op(ops::Multiply, {square, square});
  }
  return result;
}

bool is_of_integers(ir::ReLUView relu) {
  return ir::is_integral(relu.data().type());
}

ir::Value clamp_below(ir::Builder& builder, ir::ReLUView relu) {
  const ir::Value x = relu.data();
  return builder.op(ops::Maximum, {x, builder.integer(0, x.type())});
}

/// Whether `value` is one element that OpenVINO folds, with more axes than `other`.
bool has_rank_alone(ir::Value value, ir::Value other) {
  const ir::PartialShape& shape = value.shape();
  if (!ir::is_computed_from_constants(value) || shape.element_count() != 1) return false;
  return other.shape().has_rank() && shape.rank() > other.shape().rank();
}

/// The operand beside a constant of one element, from which the result has its rank.
std::optional<std::size_t> operand_beside_constant(const ir::Node& node) {
  for (const std::size_t operand : {0U, 1U}) {
    if (has_rank_alone(node.input(1 - operand), node.input(operand))) return operand;
  }
  return std::nullopt;
}

/// `value` with axes of size 1 before its own.
ir::Value raise_rank(ir::Builder& builder, ir::Value value, std::size_t rank) {
  return ir::unsqueeze(builder, value, all_axes(rank - value.shape().rank()));
}

/// Gives the other operand the rank of the constant: OpenVINO loses the rank if it removes the operation, or
/// moves it before a Reshape or Gather.
ir::Value equalize_ranks(ir::Builder& builder, const ir::Node& node) {
  const std::size_t operand = *operand_beside_constant(node);
  const ir::Value wide = raise_rank(builder, node.input(operand), node.input(1 - operand).shape().rank());
  return ir::clone_with_input(builder, node, operand, wide);
}

/// Whether the Broadcast only adds axes of size 1. OpenVINO makes a product with a constant of ones of it.
bool only_adds_axes(ir::BroadcastView broadcast) {
  const auto sizes = ir::exact_values(broadcast.shape());
  return sizes && broadcast.mode() == "bidirectional" && broadcast.data().shape().has_rank() &&
         sizes->size() > broadcast.data().shape().rank() &&
         std::ranges::all_of(*sizes, [](std::int64_t size) { return size == 1; });
}

ir::Value add_axes(ir::Builder& builder, ir::BroadcastView broadcast) {
  return raise_rank(builder, broadcast.data(), broadcast.output(0).shape.rank());
}

/// Whether `value` is computed from sizes.
bool follows_sizes(ir::Value value) {
  constexpr std::size_t kMostNodes = 64;
  return any_before(value, kMostNodes, [](const ir::Node& node) {
    return node.is(ops::ShapeOf) ? Search::found : Search::follow;
  });
}

bool is_absolute_of_sizes(ir::AbsView absolute) {
  constexpr std::int64_t kMostElements = 256;  // of values that are no vectors, but may become one
  const auto count = absolute.data().shape().element_count();
  return count && (*count <= kMostElements || absolute.data().shape().has_rank(1)) &&
         follows_sizes(absolute.data());
}

bool is_absolute_of_constants(ir::AbsView absolute) {
  const ir::Value data = absolute.data();
  return data.shape().has_rank(1) && ir::is_computed_from_constants(data) && data.node->constant() == nullptr;
}

/// OpenVINO takes vectors that are computed from sizes, or from constants, for positive, and removes an Abs
/// of them.
ir::Value emit_absolute_of_vector(ir::Builder& builder, ir::AbsView absolute) {
  return builder.op(ops::Maximum, {absolute.data(), builder.op(ops::Negative, {absolute.data()})});
}

bool is_bounded(ir::Value value) {
  const auto known = ir::known_values(value);
  return known && std::ranges::any_of(*known, [](const ir::ValueRange& range) { return !range.is_exact(); });
}

bool is_remainder_of_sizes(const ir::Node& node) {
  const ir::Value x = node.input(0);
  const ir::Value y = node.input(1);
  return are_at_least(x, 0) && are_at_least(y, 1) && (is_bounded(x) || is_bounded(y));
}

/// The remainder of sizes: x - x / y * y, of which OpenVINO computes the right bounds. They may be negative,
/// hence the Maximum.
ir::Value emit_unbounded_remainder(ir::Builder& builder, const ir::Node& node) {
  const ir::Value x = node.input(0);
  const ir::Value y = node.input(1);
  const ir::Value quotient = builder.op(ops::Divide, {x, y}, {{"m_pythondiv", false}});
  const ir::Value multiple = builder.op(ops::Multiply, {quotient, y});
  return builder.op(ops::Maximum, {builder.op(ops::Subtract, {x, multiple}), builder.integer(0, x.type())});
}

/// Above it, or below the negative one, bounds are those that quantised numbers do not reach.
constexpr double kFar = 1e9;

/// Whether a Clamp has an upper bound that quantised numbers do not reach, or reads negated numbers, for
/// which OpenVINO would exchange its bounds. OpenVINO moves scales past many operations, so that every Clamp
/// of a model with such numbers may meet them.
bool clamps_quantized_numbers(ir::ClampView clamp) {
  const bool is_negated = negates(*clamp.data().node).value_or(false);
  if (!ir::is_floating(clamp.data().type()) || (clamp.max() < kFar && !is_negated)) return false;
  return holds_integers(clamp.data()) || clamp.node().graph().model_may_hold({ops::FakeQuantize});
}

ir::Value clamp_by_extrema(ir::Builder& builder, ir::ClampView clamp) {
  ir::Value x = clamp.data();
  const double low = clamp.min();
  const double high = clamp.max();
  if (high < kFar) x = builder.op(ops::Minimum, {x, builder.number_like(high, x)});
  if (low == 0) return builder.op(ops::ReLU, {x});
  // OpenVINO makes a Clamp of a Minimum and a Maximum. A Clamp without effect keeps operations apart.
  return low > -kFar || high >= kFar ? builder.op(ops::Maximum, {x, builder.number_like(low, x)}) : x;
}

constexpr std::int64_t kShiftedBits = 32;
constexpr std::int64_t kLargestI32 = 0x7fffffff;

/// Whether `mask` has no ones where a shift by `count` copies the sign.
bool clears_sign(ir::Value mask, ir::Value count) {
  const auto places = ir::known_scalar(count);
  const auto ones = ir::known_scalar(mask);
  if (places && ones)
    return *places >= 0 && *places < kShiftedBits && (*ones >> (kShiftedBits - *places)) == 0;
  const auto sum = ir::match<ir::BitwiseOrView>(mask);
  const auto doubled = sum ? ir::match<ir::BitwiseLeftShiftView>(sum->a()) : std::nullopt;
  const auto shifted = doubled ? ir::match<ir::BitwiseRightShiftView>(doubled->a()) : std::nullopt;
  return shifted && shifted->b() == count && ir::known_scalar(shifted->a()) == kLargestI32;
}

/// Fault::zero_activation_parameters. The CPU plugin takes a parameter of 0 for a missing one.
bool has_zero_parameter(const ir::Node& activation) {
  return ir::exact_number(activation.input(1)) == 0.0 || ir::exact_number(activation.input(2)) == 0.0;
}

/// min(max(alpha * x + beta, 0), 1).
ir::Value decompose_hard_sigmoid(ir::Builder& builder, ir::HardSigmoidView function) {
  const ir::Value scaled = builder.op(ops::Multiply, {function.data(), function.alpha()});
  return builder.op(ops::Clamp, {builder.op(ops::Add, {scaled, function.beta()})},
                    {{"min", 0.0}, {"max", 1.0}});
}

/// lambda * x where x > 0. Elsewhere it is 0: lambda * alpha is.
ir::Value decompose_selu(ir::Builder& builder, ir::SeluView function) {
  return builder.op(ops::Multiply, {builder.op(ops::ReLU, {function.data()}), function.scale()});
}

/// Fault::unsigned_right_shift. The CPU plugin computes in i32, and a shift to the right copies the sign.
bool copies_sign(ir::BitwiseRightShiftView shift) {
  if (shift.a().type() != ir::ElementType::u32 || ir::is_computed_from_constants(shift.a())) return false;
  const auto& uses = shift.output(0).uses;
  const auto masked = uses.size() == 1 ? ir::match<ir::BitwiseAndView>(*uses[0].node) : std::nullopt;
  return !masked || !clears_sign(masked->b(), shift.b());
}

/// Clears the upper bits of the result. The mask is computed without a sign: ((2^31 - 1) >> count) * 2 + 1.
ir::Value clear_upper_bits(ir::Builder& builder, ir::BitwiseRightShiftView shift) {
  const ir::Value x = shift.a();
  const ir::Value count = shift.b();
  const auto places = ir::known_scalar(count);
  if (places == 0 && x.shape() == shift.output(0).shape) return x;
  ir::Value mask;
  if (places && *places > 0 && *places < kShiftedBits) {
    mask = builder.integer((std::int64_t{1} << (kShiftedBits - *places)) - 1, x.type());
  } else {
    const ir::Value one = builder.integer(1, x.type());
    const ir::Value half =
        builder.op(ops::BitwiseRightShift, {builder.integer(kLargestI32, x.type()), count});
    mask = builder.op(ops::BitwiseOr, {builder.op(ops::BitwiseLeftShift, {half, one}), one});
  }
  return builder.op(ops::BitwiseAnd, {builder.op(ops::BitwiseRightShift, {x, count}), mask});
}

}  // namespace

Workaround legalize_arithmetic() {
  return {
      .summary = "Replaces elementwise operations that the CPU plugin computes wrongly",
      .stages = {
          {Stage::operations,
           {row<is_absolute_of_constants, emit_absolute_of_vector>(Fault::abs_of_constants, {ops::Abs}),
            row<is_absolute_of_sizes, emit_absolute_of_vector>(Fault::abs_of_sizes, {ops::Abs}),
            row<is_of_bits<8>, compute_in_i32>(Fault::byte_arithmetic,
                                               {ops::Add, ops::Subtract, ops::Multiply, ops::Divide, ops::Mod,
                                                ops::FloorMod, ops::Negative, ops::Abs}),
            row<is_other_power_of_bytes, compute_in_i32>(Fault::byte_arithmetic, {ops::Power}),
            row<is_of_floats, swap_comparison>(Fault::greater_than_nan, {ops::Greater, ops::GreaterEqual}),
            row<may_broadcast, compare_with_infinity>(Fault::infinity_check_broadcast,
                                                      {ops::IsFinite, ops::IsInf}),
            row<is_integer_power, multiply_repeatedly>(Fault::integer_power, {ops::Power}),
            row<is_of_integers, clamp_below>(Fault::integer_relu, {ops::ReLU}),
            row<is_narrow, compute_in_i32>(Fault::narrow_shifts, {ops::BitwiseLeftShift}),
            row<operand_beside_constant, equalize_ranks>(Fault::neutral_constant_rank,
                                                         {ops::Add, ops::Subtract, ops::Multiply, ops::Divide,
                                                          ops::Maximum, ops::Minimum, ops::Power}),
            row<only_adds_axes, add_axes>(Fault::neutral_constant_rank, {ops::Broadcast}),
            row<clamps_quantized_numbers, clamp_by_extrema>(Fault::quantized_clamp_bounds, {ops::Clamp}),
            row<is_remainder_of_sizes, emit_unbounded_remainder>(Fault::remainder_bounds,
                                                                 {ops::Mod, ops::FloorMod}),
            row<is_of_bits<16>, compute_in_i32>(
                Fault::saturating_conversions,
                {ops::Add, ops::Subtract, ops::Multiply, ops::Negative, ops::Abs}),
            row<may_saturate, convert_by_wrapping>(Fault::saturating_conversions, {ops::Convert}),
            row<copies_sign, clear_upper_bits>(Fault::unsigned_right_shift, {ops::BitwiseRightShift}),
            row<has_zero_parameter, decompose_hard_sigmoid>(Fault::zero_activation_parameters,
                                                            {ops::HardSigmoid}),
            row<has_zero_parameter, decompose_selu>(Fault::zero_activation_parameters, {ops::Selu})}}}};
}

}  // namespace onnx2ir::passes
