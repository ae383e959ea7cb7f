// Replaces elementwise operations that the CPU plugin computes wrongly. Each row of the table works around
// one fault.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "ir/shape_tools.hpp"
#include "passes/dequantized_weights.hpp"
#include "passes/legalize/legalization_table.hpp"

namespace onnx2ir::passes {
namespace {

using ir::ElementType;

/// The operation of `node`, computed in i32.
ir::Value in_i32(ir::Builder& builder, const ir::Node& node) {
  const ElementType type = node.output(0).type;
  std::vector<ir::Value> inputs;
  for (const ir::Value input : node.inputs()) {
    inputs.push_back(ir::convert(builder, input, ElementType::i32));
  }
  return ir::convert(builder, builder.node(node.op().id, inputs, node.attributes()).value(), type);
}

ir::Value byte_arithmetic(ir::Builder& builder, const ir::Node& node) {
  const ElementType type = node.output(0).type;
  return type == ElementType::i8 || type == ElementType::u8 ? in_i32(builder, node) : ir::Value{};
}

ir::Value word_arithmetic(ir::Builder& builder, const ir::Node& node) {
  const ElementType type = node.output(0).type;
  return type == ElementType::i16 || type == ElementType::u16 ? in_i32(builder, node) : ir::Value{};
}

ir::Value narrow_shift(ir::Builder& builder, const ir::Node& node) {
  constexpr std::int64_t kComputedBits = 32;
  return ir::info(node.output(0).type).bits < kComputedBits ? in_i32(builder, node) : ir::Value{};
}

/// Whether all values of `from` are values of `to`.
bool is_contained(ElementType from, ElementType to) {
  const std::int64_t from_bits = ir::info(from).bits;
  const std::int64_t to_bits = ir::info(to).bits;
  if (ir::is_signed_integral(from) == ir::is_signed_integral(to)) return from_bits <= to_bits;
  return ir::is_signed_integral(to) && from_bits < to_bits;
}

/// Whether `value` is a bitwise operation or difference with the constant `number`.
bool is_with_number(ir::Value value, ir::Op operation, std::int64_t number) {
  return value.node->is(operation) && ir::known_scalar(value.node->input(1)) == number;
}

/// Whether wrapping_conversion() has computed `value`: the result of its last operation has `bits` bits.
bool is_wrapped(ir::Value value, std::int64_t bits, bool has_sign) {
  const std::int64_t sign = std::int64_t{1} << (bits - 1);
  if (has_sign) {
    if (!is_with_number(value, ops::Subtract, sign)) return false;
    value = value.node->input(0);
    if (!is_with_number(value, ops::BitwiseXor, sign)) return false;
    value = value.node->input(0);
  }
  return is_with_number(value, ops::BitwiseAnd, 2 * sign - 1);
}

/// Converts the lowest bits of an integer to 8 or 16 bits. The bits above them are set to copies of the sign
/// or to 0, so that Convert does not saturate.
ir::Value wrapping_conversion(ir::Builder& builder, const ir::Node& node) {
  const ElementType from = node.input(0).type();
  const ElementType to = node.output(0).type;
  const std::int64_t bits = ir::info(to).bits;
  const bool has_sign = ir::is_signed_integral(to);
  if (!ir::is_integral(from) || !ir::is_integral(to) || (bits != 8 && bits != 16)) return {};
  if (is_contained(from, to) || is_wrapped(node.input(0), bits, has_sign)) return {};
  const auto number = [&](std::int64_t value) { return builder.integer(value, ElementType::i32); };
  const ir::Value whole = ir::convert(builder, node.input(0), ElementType::i32);
  ir::Value lowest = builder.op(ops::BitwiseAnd, {whole, number((std::int64_t{1} << bits) - 1)});
  if (has_sign) {
    const ir::Value sign = number(std::int64_t{1} << (bits - 1));
    lowest = builder.op(ops::Subtract, {builder.op(ops::BitwiseXor, {lowest, sign}), sign});
  }
  return builder.clone(node, std::array{lowest}).value();
}

/// a > b as b < a, which is false for NaN.
ir::Value comparison_with_nan(ir::Builder& builder, const ir::Node& node) {
  if (!ir::is_floating(node.input(0).type())) return {};
  return builder.op(node.is(ops::Greater) ? ops::Less : ops::LessEqual, {node.input(1), node.input(0)});
}

/// IsFinite and IsInf as comparisons, if the last axis may be broadcast.
ir::Value infinity_comparison(ir::Builder& builder, const ir::Node& node) {
  const ir::Value x = node.input(0);
  const ir::PartialShape& shape = x.shape();
  if (shape.has_rank() && (shape.rank() == 0 || shape[shape.rank() - 1].is_static())) return {};
  const bool is_finite = node.is(ops::IsFinite);
  const bool negative = is_finite || node.boolean("detect_negative");
  const bool positive = is_finite || node.boolean("detect_positive");
  if (!negative && !positive) return {};
  const ir::Value infinity = builder.number(std::numeric_limits<double>::infinity(), x.type());
  ir::Value checked = x;
  if (negative) checked = builder.op(positive ? ops::Abs : ops::Negative, {x});
  return builder.op(is_finite ? ops::Less : ops::Equal, {checked, infinity});
}

/// Decomposes an integer power with a small constant exponent into multiplications.
ir::Value integer_power(ir::Builder& builder, const ir::Node& node) {
  constexpr std::int64_t kMax = 16;
  const ir::Value base = node.input(0);
  const auto exponent = ir::exact_values(node.input(1));
  if (!ir::is_integral(base.type()) || !exponent || exponent->size() != 1) return {};
  if (exponent->front() < 1 || exponent->front() > kMax) return {};
  // The result must have the rank of the base.
  if (!base.shape().has_rank() || node.input(1).shape().rank() > base.shape().rank()) return {};
  ir::Value result;
  ir::Value square = base;
  for (std::int64_t left = exponent->front(); left > 0; left /= 2) {
    if (left % 2 != 0) result = result ? builder.op(ops::Multiply, {result, square}) : square;
    if (left > 1) square = builder.op(ops::Multiply, {square, square});
  }
  return result;
}

ir::Value integer_relu(ir::Builder& builder, const ir::Node& node) {
  const ir::Value x = node.input(0);
  if (!ir::is_integral(x.type())) return {};
  return builder.op(ops::Maximum, {x, builder.integer(0, x.type())});
}

/// If one operand is a scalar and the other a constant of one element with rank above 0, reshapes the scalar
/// to that rank. OpenVINO removes operations without effect, and loses the rank if the ranks differ.
ir::Value equal_ranks(ir::Builder& builder, const ir::Node& node) {
  for (const std::size_t scalar : {0U, 1U}) {
    const ir::Value constant = node.input(1 - scalar);
    const ir::PartialShape& shape = node.input(scalar).shape();
    const auto sizes = constant.shape().sizes();
    if (!shape.has_rank() || shape.rank() != 0 || !constant.node->is(ops::Const) || !sizes) continue;
    if (sizes->empty() || std::ranges::any_of(*sizes, [](std::int64_t size) { return size != 1; })) continue;
    std::array inputs{node.input(0), node.input(1)};
    inputs.at(scalar) = ir::reshape(builder, inputs.at(scalar), builder.integers(*sizes));
    return builder.node(node.op().id, inputs, node.attributes()).value();
  }
  return {};
}

bool is_bounded(ir::Value value) {
  const auto known = ir::known_values(value);
  return known && std::ranges::any_of(*known, [](const ir::ValueRange& range) { return !range.is_exact(); });
}

/// Whether all that is known of `value` is that its elements are at least `least`.
bool are_at_least(ir::Value value, std::int64_t least) {
  const auto known = ir::known_values(value);
  return known &&
         std::ranges::all_of(*known, [&](const ir::ValueRange& range) { return range.min >= least; });
}

/// The remainder of sizes: x - x / y * y, of which OpenVINO computes the right bounds. They may be negative,
/// hence the Maximum.
ir::Value unbounded_remainder(ir::Builder& builder, const ir::Node& node) {
  const ir::Value x = node.input(0);
  const ir::Value y = node.input(1);
  if (!are_at_least(x, 0) || !are_at_least(y, 1) || (!is_bounded(x) && !is_bounded(y))) return {};
  const ir::Value quotient = builder.op(ops::Divide, {x, y}, {{"m_pythondiv", true}});
  const ir::Value multiple = builder.op(ops::Multiply, {quotient, y});
  return builder.op(ops::Maximum, {builder.op(ops::Subtract, {x, multiple}), builder.integer(0, x.type())});
}

/// A Clamp of quantised numbers with an upper bound that they do not reach.
ir::Value clamp_from_below(ir::Builder& builder, const ir::Node& node) {
  constexpr double kFar = 1e9;
  const ir::Value x = node.input(0);
  if (node.real("max") < kFar || !holds_integers(x)) return {};
  const double low = node.real("min");
  return low == 0 ? builder.op(ops::ReLU, {x}) : builder.op(ops::Maximum, {x, builder.number_like(low, x)});
}

/// Powers come before bytes, because they are decomposed into multiplications. Conversions come after the
/// arithmetic that is computed in i32, because its results are converted.
std::span<const Legalization> legalizations() {
  static const std::array kLegalizations = {
      Legalization{Fault::greater_than_nan, {ops::Greater, ops::GreaterEqual}, comparison_with_nan},
      Legalization{Fault::infinity_check_broadcast, {ops::IsFinite, ops::IsInf}, infinity_comparison},
      Legalization{Fault::integer_power, {ops::Power}, integer_power},
      Legalization{Fault::quantized_clamp_bounds, {ops::Clamp}, clamp_from_below},
      Legalization{Fault::integer_relu, {ops::ReLU}, integer_relu},
      Legalization{Fault::narrow_shifts, {ops::BitwiseLeftShift}, narrow_shift},
      Legalization{Fault::byte_arithmetic,
                   {ops::Add, ops::Subtract, ops::Multiply, ops::Divide, ops::Power, ops::Mod, ops::FloorMod,
                    ops::Negative, ops::Abs},
                   byte_arithmetic},
      Legalization{Fault::saturating_conversions,
                   {ops::Add, ops::Subtract, ops::Multiply, ops::Negative, ops::Abs},
                   word_arithmetic},
      Legalization{Fault::saturating_conversions, {ops::Convert}, wrapping_conversion},
      Legalization{Fault::remainder_bounds, {ops::Mod, ops::FloorMod}, unbounded_remainder},
      Legalization{
          Fault::neutral_constant_rank, {ops::Add, ops::Subtract, ops::Multiply, ops::Divide}, equal_ranks},
  };
  return kLegalizations;
}

}  // namespace

bool legalize_arithmetic(ir::Model& model, PassContext& context) {
  return apply_legalizations(model, context, legalizations());
}

}  // namespace onnx2ir::passes
