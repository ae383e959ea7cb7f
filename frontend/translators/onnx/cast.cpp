// Conversions between element types.
#include <cmath>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "ir/small_floats.hpp"

namespace onnx2ir::frontend {
namespace {

bool is_float8_or_float4(ElementType type) {
  return ir::is_small_float(type) && ir::info(type).bits <= 8;
}

/// Saturates numbers; NaN becomes `of_nan`.
Value saturate_numbers(NodeContext& node, Value value, double largest, Value of_nan) {
  const Value limited = node.op(ops::Clamp, {value}, {{"min", -largest}, {"max", largest}});
  return node.op(ops::Select, {node.op(ops::IsNaN, {value}), of_nan, limited});
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

}  // namespace

Value convert_to_small_float(NodeContext& node, Value value, ElementType type) {
  if (!ir::is_floating(value.type())) value = convert(node, value, ElementType::f32);
  if (type == ElementType::f8e8m0) return round_to_power_of_two(node, value);
  if (is_float8_or_float4(type) && node.flag_attribute("saturate", true)) {
    // float4 has no NaN.
    const Value of_nan = type == ElementType::f4e2m1 ? node.number_like(-0.0, value) : value;
    value = saturate_numbers(node, value, *ir::largest_finite(type), of_nan);
  }
  return convert(node, value, type);
}

namespace {

/// The low 4 bits of numbers, as numbers of `type`. OpenVINO does not define Convert for numbers outside the
/// range of the type.
Value cut_to_4_bits(NodeContext& node, Value value, ElementType type) {
  const auto number = [&](std::int64_t of) { return node.integer(of, ElementType::i32); };
  const Value whole = convert(node, value, ElementType::i32);
  const Value cut = node.op(ops::BitwiseAnd, {whole, number(0xF)});
  if (type == ElementType::u4) return cut;
  return node.op(ops::Subtract, {node.op(ops::BitwiseXor, {cut, number(8)}), number(8)});
}

Value cast(NodeContext& node, Value value, ElementType type) {
  if (value.type() == type) return value;
  if (type == ElementType::string || value.type() == ElementType::string) {
    node.fail("OpenVINO converts neither to strings nor from strings");
  }
  // All numbers except 0 are true, including fractions.
  if (type == ElementType::boolean) return node.op(ops::NotEqual, {value, node.number_like(0, value)});
  if (type == ElementType::u4 || type == ElementType::i4) value = cut_to_4_bits(node, value, type);
  if (is_float8_or_float4(type)) return convert_to_small_float(node, value, type);
  return convert(node, value, type);
}

/// The element type number for its name in the enumeration, which version 1 uses.
std::int64_t type_number(const NodeContext& node, const std::string& name) {
  constexpr std::string_view kNames[] = {"UNDEFINED", "FLOAT",  "UINT8",  "INT8",   "UINT16",
                                         "INT16",     "INT32",  "INT64",  "STRING", "BOOL",
                                         "FLOAT16",   "DOUBLE", "UINT32", "UINT64"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<std::int64_t>(i);
  }
  node.fail("attribute 'to' names no element type: " + name);
}

Values cast_1(NodeContext& node) {
  return {cast(node, node.input(0), node.element_type(type_number(node, node.text_attribute("to"))))};
}

/// Cast 6, 9, 13, 19, 21, 23, 24, 25, 28; from 19 on with `saturate` for float8.
Values cast_6(NodeContext& node) {
  return {cast(node, node.input(0), node.element_type(node.integer_attribute("to")))};
}

Values cast_like_15(NodeContext& node) {
  return {cast(node, node.input(0), node.input(1).type())};
}

}  // namespace

std::vector<TranslatorRow> cast_translators() {
  constexpr std::string_view kLimits = "no strings";
  return with_ranks(RankRule::map, {
                                       {"Cast", 1, cast_1, kLimits},
                                       {"Cast", 6, cast_6, kLimits},
                                       {"CastLike", 15, cast_like_15, kLimits},
                                   });
}

}  // namespace onnx2ir::frontend
