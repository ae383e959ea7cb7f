// Elementwise arithmetic, comparison, logic and bitwise operations.
//
// Versions below 7 broadcast only on request: the second input to the first, with its dimensions placed at
// `axis`. From 7 on, both inputs are broadcast as in numpy. Later versions differ in element types only.
#include <algorithm>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/string_list.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The second input, in a version below 7 reshaped for numpy broadcasting.
Value reshape_at_axis(NodeContext& node) {
  const Value b = node.input(1);
  if (!node.flag_attribute("broadcast") || !node.has_attribute("axis")) return b;
  const std::int64_t rank = node.rank(node.input(0));
  const std::int64_t own_rank = node.rank(b);
  if (own_rank == 0) return b;
  const std::int64_t axis = node.axis(node.integer_attribute("axis"), rank);
  if (axis + own_rank > rank) node.fail("the second input does not fit the first at attribute 'axis'");
  return add_unit_dimensions(node, b, 0, rank - axis - own_rank);
}

using Emit = Value (*)(Builder&, Value, Value);

template <Emit kEmit>
Values binary(NodeContext& node) {
  return {kEmit(node, node.input(0), reshape_at_axis(node))};
}

/// Pow: from 12 on the exponent may have another type; the result has the type of the base.
Value power(Builder& builder, Value base, Value exponent) {
  const ElementType type = base.type();
  if (type == exponent.type() || ir::is_integral(exponent.type())) {
    return builder.op(ops::Power, {base, convert(builder, exponent, type)});
  }
  const Value result = builder.op(
      ops::Power, {convert(builder, base, ElementType::f32), convert(builder, exponent, ElementType::f32)});
  return convert(builder, result, type);
}

/// Mod 10, 13, 28: the sign of the divisor, with fmod that of the dividend; floating point without fmod from
/// 28 on.
Values mod_10(NodeContext& node) {
  const Value a = node.input(0);
  const Value b = node.input(1);
  const bool has_sign_of_dividend = node.integer_attribute("fmod", 0) == 1;
  if (!ir::is_floating(a.type()) && !has_sign_of_dividend) return {node.op(ops::FloorMod, {a, b})};
  const Value remainder = node.op(ops::Mod, {a, b});
  if (has_sign_of_dividend) return {remainder};
  const Value zero = node.number_like(0, a);
  const Value is_negative = node.op(ops::Less, {remainder, zero});
  const Value signs_differ = node.op(ops::LogicalXor, {is_negative, node.op(ops::Less, {b, zero})});
  const Value is_other = node.op(ops::LogicalAnd, {signs_differ, node.op(ops::NotEqual, {remainder, zero})});
  return {node.op(ops::Select, {is_other, node.op(ops::Add, {remainder, b}), remainder})};
}

/// Equal 1, 7, 11, 13, 19.
Value equal(Builder& builder, Value a, Value b) {
  if (a.type() == ElementType::string) return compare_strings(builder, a, b);
  return builder.op(ops::Equal, {a, b});
}

template <ir::Op kOperation>
Value plain(Builder& builder, Value a, Value b) {
  return builder.op(kOperation, {a, b});
}

/// BitShift 11, 28: from 28 on signed integers, whose right shift keeps the sign. Negative counts and counts
/// not below the width of the type, which OpenVINO does not define, shift out all bits.
Values bit_shift_11(NodeContext& node) {
  const std::string direction = node.text_attribute("direction");
  if (direction != "LEFT" && direction != "RIGHT") node.fail("attribute 'direction' must be LEFT or RIGHT");
  const bool is_left = direction == "LEFT";
  const Value x = node.input(0);
  const Value count = node.input(1);
  const ElementType type = x.type();
  const std::int64_t bits = ir::info(type).bits;
  const auto number = [&](std::int64_t i) { return node.integer(i, type); };
  const Value shifted = node.op(is_left ? ops::BitwiseLeftShift : ops::BitwiseRightShift, {x, count});
  const auto known = node.known_integers(count);
  if (known && std::ranges::all_of(*known, [&](std::int64_t i) { return i >= 0 && i < bits; }))
    return {shifted};
  const Value fits = node.op(ops::LogicalAnd, {node.op(ops::Less, {count, number(bits)}),
                                               node.op(ops::GreaterEqual, {count, number(0)})});
  const bool keeps_sign = !is_left && ir::is_signed_integral(type);
  const Value rest = keeps_sign
                         ? node.op(ops::Select, {node.op(ops::Less, {x, number(0)}), number(-1), number(0)})
                         : number(0);
  return {node.op(ops::Select, {fits, shifted, rest})};
}

/// Where 9, 16.
Values where_9(NodeContext& node) {
  using Input = inputs::Where;
  return {node.op(ops::Select, {node.input(Input::condition), node.input(Input::X), node.input(Input::Y)})};
}

/// Max, Min, Sum 1, 6, 8, 12, 13: any number of inputs, from 8 on broadcast.
template <Emit kEmit>
Values variadic_1(NodeContext& node) {
  Value result = node.input(0);
  for (std::size_t i = 1; i < node.input_count(); ++i) result = kEmit(node, result, node.input(i));
  return {result};
}

Values mean_1(NodeContext& node) {
  const Value sum = variadic_1<plain<ops::Add>>(node).front();
  if (node.input_count() == 1) return {sum};
  return {divide(node, sum, node.number_like(static_cast<double>(node.input_count()), sum))};
}

}  // namespace

std::vector<TranslatorRow> elementwise_translators() {
  return with_ranks(RankRule::broadcast, {
                                             {"Add", 1, binary<plain<ops::Add>>},
                                             {"Sub", 1, binary<plain<ops::Subtract>>},
                                             {"Mul", 1, binary<plain<ops::Multiply>>},
                                             {"Div", 1, binary<divide>},
                                             {"Pow", 1, binary<power>},
                                             {"Mod", 10, mod_10},
                                             {"Equal", 1, binary<equal>},
                                             {"Less", 1, binary<plain<ops::Less>>},
                                             {"LessOrEqual", 12, binary<plain<ops::LessEqual>>},
                                             {"Greater", 1, binary<plain<ops::Greater>>},
                                             {"GreaterOrEqual", 12, binary<plain<ops::GreaterEqual>>},
                                             {"And", 1, binary<plain<ops::LogicalAnd>>},
                                             {"Or", 1, binary<plain<ops::LogicalOr>>},
                                             {"Xor", 1, binary<plain<ops::LogicalXor>>},
                                             {"BitwiseAnd", 18, binary<plain<ops::BitwiseAnd>>},
                                             {"BitwiseOr", 18, binary<plain<ops::BitwiseOr>>},
                                             {"BitwiseXor", 18, binary<plain<ops::BitwiseXor>>},
                                             {"BitShift", 11, bit_shift_11},
                                             {"Where", 9, where_9},
                                             {"Max", 1, variadic_1<plain<ops::Maximum>>},
                                             {"Min", 1, variadic_1<plain<ops::Minimum>>},
                                             {"Sum", 1, variadic_1<plain<ops::Add>>},
                                             {"Mean", 1, mean_1},
                                         });
}

}  // namespace onnx2ir::frontend
