// Conversions between element types, and BitCast. OpenVINO has no operation on the bits of floating-point
// numbers, so they are computed arithmetically.
#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/string_list.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/small_floats.hpp"

namespace onnx2ir::frontend {
namespace {

/// The fields of an IEEE 754 binary format of at most 32 bits; the sign is the highest bit.
struct FloatFields {
  int exponent_bits;
  int fraction_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::int64_t last_exponent() const { return (std::int64_t{1} << exponent_bits) - 1; }
  /// The sign bit as an i32.
  std::int64_t sign() const {
    const std::int64_t bit = std::int64_t{1} << (exponent_bits + fraction_bits);
    return bit >> 31 != 0 ? -bit : bit;
  }
};

std::optional<FloatFields> fields_of(ElementType type) {
  if (type == ElementType::f32) return FloatFields{8, 23};
  if (type == ElementType::f16) return FloatFields{5, 10};
  return std::nullopt;
}

/// Emits operations on f32 and i32.
struct Bits {
  NodeContext& node;

  Value op(ir::Op id, Value a, Value b) const { return node.op(id, {a, b}); }
  Value select(Value condition, Value a, Value b) const { return node.op(ops::Select, {condition, a, b}); }
  Value select(Value condition, std::int64_t a, std::int64_t b) const {
    return node.op(ops::Select, {condition, whole(a), whole(b)});
  }
  Value real(double number) const { return node.number(number, ElementType::f32); }
  Value whole(std::int64_t number) const { return node.integer(number, ElementType::i32); }
  Value power_of_two(int exponent) const { return real(std::ldexp(1.0, exponent)); }
};

/// The bits of `value` as i32; for a 16-bit format below 2^16. Every NaN becomes the quiet NaN with sign 0.
Value convert_float_to_bits(NodeContext& node, Value value, const FloatFields& fields) {
  const Bits bits{node};
  const Value x = convert(node, value, ElementType::f32);
  const Value magnitude = node.op(ops::Abs, {x});
  // Scales the least normal number to 1, so that only subnormals are below 1.
  const Value is_below_one = bits.op(ops::Less, magnitude, bits.real(1));
  const int lowest = 1 - fields.bias();
  Value significand =
      bits.select(is_below_one, bits.op(ops::Multiply, magnitude, bits.power_of_two(-lowest)), magnitude);
  Value exponent = bits.select(is_below_one, 0, -lowest);
  for (int step = 1 << (fields.exponent_bits - 2); step > 0; step /= 2) {
    const Value is_large = bits.op(ops::GreaterEqual, significand, bits.power_of_two(step));
    significand =
        bits.select(is_large, bits.op(ops::Multiply, significand, bits.power_of_two(-step)), significand);
    exponent = bits.op(ops::Add, exponent, bits.select(is_large, step, 0));
  }
  const auto flag = [&](Value condition, std::int64_t number) { return bits.select(condition, number, 0); };
  // Arithmetic in i32 stays below 2^24, which is exact in f32; bitwise operations do the rest.
  const Value is_normal = bits.op(ops::GreaterEqual, significand, bits.real(1));
  const Value units = bits.op(ops::Multiply, significand, bits.power_of_two(fields.fraction_bits));
  const Value whole_units = convert(node, units, ElementType::i32);
  Value fraction =
      bits.op(ops::Subtract, whole_units, flag(is_normal, std::int64_t{1} << fields.fraction_bits));
  Value field = bits.op(ops::Add, exponent, flag(is_normal, 1));
  const Value is_nan = node.op(ops::IsNaN, {x});
  const Value is_infinite =
      bits.op(ops::Equal, magnitude, bits.real(std::numeric_limits<double>::infinity()));
  const Value is_special = bits.op(ops::LogicalOr, is_infinite, is_nan);
  field = bits.select(is_special, bits.whole(fields.last_exponent()), field);
  fraction = bits.select(is_special, flag(is_nan, std::int64_t{1} << (fields.fraction_bits - 1)), fraction);
  // The sign of -0 is found by its reciprocal.
  const Value is_zero = bits.op(ops::Equal, x, bits.real(0));
  const Value signed_like_x = bits.select(is_zero, divide(node, bits.real(1), x), x);
  const Value sign = flag(bits.op(ops::Less, signed_like_x, bits.real(0)), fields.sign());
  const Value exponent_bits = bits.op(ops::BitwiseLeftShift, field, bits.whole(fields.fraction_bits));
  return bits.op(ops::BitwiseOr, bits.op(ops::BitwiseOr, exponent_bits, fraction), sign);
}

/// 2^e for each exponent field. Subnormals, with field 0, have the exponent of field 1. The last one is
/// infinity, which becomes NaN if the fraction is not 0.
std::vector<double> powers_of_two(const FloatFields& fields) {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(fields.last_exponent()) + 1);
  for (int field = 0; field < fields.last_exponent(); ++field) {
    result.push_back(std::ldexp(1.0, std::max(field, 1) - fields.bias()));
  }
  result.push_back(std::numeric_limits<double>::infinity());
  return result;
}

/// The f32 with the bits of the i32 `pattern`, or the f16 with its lowest 16 bits.
Value convert_bits_to_float(NodeContext& node, Value pattern, const FloatFields& fields) {
  const Bits bits{node};
  const std::int64_t one = std::int64_t{1} << fields.fraction_bits;
  const Value shifted = bits.op(ops::BitwiseRightShift, pattern, bits.whole(fields.fraction_bits));
  const Value field = bits.op(ops::BitwiseAnd, shifted, bits.whole(fields.last_exponent()));
  const Value fraction = bits.op(ops::BitwiseAnd, pattern, bits.whole(one - 1));
  const Value is_subnormal = bits.op(ops::Equal, field, bits.whole(0));
  const Value leading = bits.select(is_subnormal, 0, one);
  const Value power = gather(node, node.numbers(powers_of_two(fields), ElementType::f32), field);
  const Value units = convert(node, bits.op(ops::Add, fraction, leading), ElementType::f32);
  const Value significand = bits.op(ops::Multiply, units, bits.power_of_two(-fields.fraction_bits));
  const Value magnitude = bits.op(ops::Multiply, significand, power);
  const Value sign_field =
      bits.op(ops::BitwiseRightShift, pattern, bits.whole(fields.fraction_bits + fields.exponent_bits));
  const Value sign = bits.op(ops::BitwiseAnd, sign_field, bits.whole(1));
  const Value is_positive = bits.op(ops::Equal, sign, bits.whole(0));
  const Value positive = bits.real(1);
  const Value factor = bits.select(is_positive, positive, bits.real(-1));
  const Value number = bits.op(ops::Multiply, magnitude, factor);
  const Value is_last = bits.op(ops::Equal, field, bits.whole(fields.last_exponent()));
  const Value is_nan = bits.op(ops::LogicalAnd, is_last, bits.op(ops::NotEqual, fraction, bits.whole(0)));
  return bits.select(is_nan, bits.real(std::numeric_limits<double>::quiet_NaN()), number);
}

/// The integer of `type` that has the lowest bits of the i32 `pattern`.
Value convert_bits_to_integer(NodeContext& node, Value pattern, ElementType type) {
  const std::int64_t bits = ir::info(type).bits;
  // A Convert between 32-bit integers keeps the bits.
  if (bits == 32) return convert(node, pattern, type);
  const auto number = [&](std::int64_t i) { return node.integer(i, ElementType::i32); };
  pattern = node.op(ops::BitwiseAnd, {pattern, number((std::int64_t{1} << bits) - 1)});
  if (ir::is_signed_integral(type)) {
    const Value sign = number(std::int64_t{1} << (bits - 1));
    pattern = node.op(ops::Subtract, {node.op(ops::BitwiseXor, {pattern, sign}), sign});
  }
  return convert(node, pattern, type);
}

/// BitCast 26.
Values bit_cast_26(NodeContext& node) {
  const Value value = node.input(0);
  const ElementType from = value.type();
  const ElementType to = node.element_type(node.integer_attribute("to"));
  if (from == to) return {value};
  if (ir::info(from).bits != ir::info(to).bits) node.fail("the two types differ in width");
  if (const ir::ConstantData* data = value.node->constant()) {
    return {node.constant(to, *value.shape().sizes(), *data)};
  }
  if (from == ElementType::boolean) return {convert(node, value, to)};
  const auto has_pattern = [](ElementType type) {
    return fields_of(type) || (ir::is_integral(type) && ir::info(type).bits <= 32);
  };
  for (const ElementType type : {from, to}) {
    if (!has_pattern(type))
      node.fail("the CPU plugin does not keep the bits of " + std::string(ir::info(type).name));
  }
  const Value pattern = convert_to_bits(node, value);
  const auto fields = fields_of(to);
  if (!fields) return {convert_bits_to_integer(node, pattern, to)};
  return {convert(node, convert_bits_to_float(node, pattern, *fields), to)};
}

bool is_float8_or_float4(ElementType type) {
  return ir::is_small_float(type) && ir::info(type).bits <= 8;
}

/// float8e8m0 represents the powers of two from 2^-127 to 2^127. Convert rounds to the nearest one, of two to
/// the even exponent, and saturates.
Value round_to_power_of_two(NodeContext& node, Value value) {
  const std::string mode = node.text_attribute("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    node.fail("attribute 'round_mode' must be up, down or nearest");
  const Value exact = convert(node, value, ElementType::f32);
  const Value nearest = convert(node, convert(node, exact, ElementType::f8e8m0), ElementType::f32);
  // Of two nearest powers, ONNX takes the larger one.
  const Value bound =
      mode == "nearest" ? node.op(ops::Multiply, {nearest, node.number_like(1.5, nearest)}) : nearest;
  const ir::Op is_past = mode == "up" ? ops::Less : mode == "down" ? ops::Greater : ops::LessEqual;
  const Value next = node.op(ops::Multiply, {nearest, node.number_like(mode == "down" ? 0.5 : 2, nearest)});
  Value power = node.op(ops::Select, {node.op(is_past, {bound, exact}), next, nearest});
  if (!node.flag_attribute("saturate", true)) {
    // The CPU plugin compares subnormal numbers as 0, which must become NaN. So do those from 2^-127 to
    // 2^-126.
    const auto limit = [&](int exponent) { return node.number_like(std::ldexp(1.0, exponent), exact); };
    const Value is_in_range = node.op(ops::LogicalAnd, {node.op(ops::GreaterEqual, {exact, limit(-126)}),
                                                        node.op(ops::LessEqual, {exact, limit(127)})});
    power = node.op(ops::Select, {is_in_range, power, node.number_like(NAN, power)});
  }
  return convert(node, power, ElementType::f8e8m0);
}

Value cast(NodeContext& node, Value value, ElementType type) {
  if (value.type() == type) return value;
  if (value.type() == ElementType::string) {
    const Value number = read_numbers(node, value, type);
    const bool is_short = ir::is_integral(type) && ir::info(type).bits < 32;
    return is_short ? convert_bits_to_integer(node, number, type) : cast(node, number, type);
  }
  if (type == ElementType::string) {
    if (ir::is_floating(value.type())) node.fail("the digits of floating-point numbers are not computed");
    return write_integers(node, value);
  }
  // All numbers except 0 are true, including fractions.
  if (type == ElementType::boolean) return node.op(ops::NotEqual, {value, node.number_like(0, value)});
  // OpenVINO does not define Convert for numbers outside the range of the type.
  if (type == ElementType::u4 || type == ElementType::i4) {
    return convert_bits_to_integer(node, convert(node, value, ElementType::i32), type);
  }
  if (is_float8_or_float4(type)) return convert_to_small_float(node, value, type);
  return convert(node, value, type);
}

/// Cast 1 names the element type as the enumeration does.
Values cast_1(NodeContext& node) {
  const std::string name = node.text_attribute("to");
  onnx::TensorProto::DataType type = onnx::TensorProto::UNDEFINED;
  if (!onnx::TensorProto::DataType_Parse(name, &type) || type > onnx::TensorProto::UINT64)
    node.fail("attribute 'to' names no element type: " + name);
  return {cast(node, node.input(0), node.element_type(type))};
}

/// Cast 6, 9, 13, 19, 21, 23, 24, 25, 28; from 19 on with `saturate` for float8.
Values cast_6(NodeContext& node) {
  return {cast(node, node.input(0), node.element_type(node.integer_attribute("to")))};
}

Values cast_like_15(NodeContext& node) {
  return {cast(node, node.input(0), node.input(1).type())};
}

}  // namespace

Value convert_to_bits(NodeContext& node, Value value) {
  if (const auto fields = fields_of(value.type())) return convert_float_to_bits(node, value, *fields);
  return convert(node, value, ElementType::i32);
}

Value convert_to_small_float(NodeContext& node, Value value, ElementType type) {
  if (!ir::is_floating(value.type())) value = convert(node, value, ElementType::f32);
  if (type == ElementType::f8e8m0) return round_to_power_of_two(node, value);
  if (is_float8_or_float4(type) && node.flag_attribute("saturate", true)) {
    // float4 has no NaN.
    const Value of_nan = type == ElementType::f4e2m1 ? node.number_like(-0.0, value) : value;
    const double largest = *ir::largest_finite(type);
    const Value limited = node.op(ops::Clamp, {value}, {{"min", -largest}, {"max", largest}});
    value = node.op(ops::Select, {node.op(ops::IsNaN, {value}), of_nan, limited});
  }
  return convert(node, value, type);
}

std::vector<TranslatorRow> cast_translators() {
  constexpr std::string_view kLimits = "floating-point numbers to strings";
  return {
      {.name = "Cast", .since = 1, .translate = cast_1, .limits = kLimits, .ranks = RankRule::map},
      {.name = "Cast", .since = 6, .translate = cast_6, .limits = kLimits, .ranks = RankRule::map},
      {.name = "CastLike", .since = 15, .translate = cast_like_15, .limits = kLimits, .ranks = RankRule::map},
      {"BitCast", 26, bit_cast_26, "64 bits, bfloat16 and float8, unless constant; what a NaN holds"},
  };
}

}  // namespace onnx2ir::frontend
