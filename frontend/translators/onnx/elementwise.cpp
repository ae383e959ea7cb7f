// Arithmetic, comparison, logic and bits, element by element.
//
// Versions below 7 broadcast only on request, the second input to the first, its dimensions placed at `axis`;
// from 7 on both inputs are broadcast as in numpy. Later versions differ in element types only.
#include <algorithm>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"

namespace onnx2ir::frontend {
namespace {

/// The second input of a version below 7, ready for numpy broadcasting.
Value placed_at_axis(NodeContext& node) {
  const Value b = node.input(1);
  if (node.integer("broadcast", 0) == 0 || !node.has_attribute("axis")) return b;
  const std::int64_t rank = node.rank(node.input(0));
  const std::int64_t own_rank = node.rank(b);
  if (own_rank == 0) return b;
  const std::int64_t axis = node.axis(node.integer("axis"), rank);
  if (axis + own_rank > rank) node.fail("the second input does not fit the first at attribute 'axis'");
  return with_unit_dimensions(node, b, 0, rank - axis - own_rank);
}

using Emit = Value (*)(NodeContext&, Value, Value);

template <Emit kEmit>
Values binary_1(NodeContext& node) {
  return {kEmit(node, node.input(0), placed_at_axis(node))};
}

template <Emit kEmit>
Values binary_7(NodeContext& node) {
  return {kEmit(node, node.input(0), node.input(1))};
}

Value add(NodeContext& node, Value a, Value b) {
  return arithmetic(node, "Add", a, b);
}
Value subtract(NodeContext& node, Value a, Value b) {
  return arithmetic(node, "Subtract", a, b);
}
Value multiply(NodeContext& node, Value a, Value b) {
  return arithmetic(node, "Multiply", a, b);
}
Value quotient(NodeContext& node, Value a, Value b) {
  return divide(node, a, b);
}

/// Pow: from 12 on the exponent may be of another type; the result is of the base's.
Value power(NodeContext& node, Value base, Value exponent) {
  const ElementType type = base.type();
  if (type == exponent.type()) return arithmetic(node, "Power", base, exponent);
  if (ir::is_integral(exponent.type())) {
    return arithmetic(node, "Power", base, convert(node, exponent, type));
  }
  const Value result =
      node.op("Power", {convert(node, base, ElementType::f32), convert(node, exponent, ElementType::f32)});
  return convert(node, result, type);
}

/// Mod 10, 13, 28: the sign of the divisor, with fmod that of the dividend.
Values mod_10(NodeContext& node) {
  const bool sign_of_dividend = node.integer("fmod", 0) != 0;
  return {arithmetic(node, sign_of_dividend ? "Mod" : "FloorMod", node.input(0), node.input(1))};
}

template <const char* const& kOp>
Value plain(NodeContext& node, Value a, Value b) {
  return node.op(kOp, {a, b});
}

constexpr const char* kEqual = "Equal";
constexpr const char* kLess = "Less";
constexpr const char* kLessEqual = "LessEqual";
constexpr const char* kGreater = "Greater";
constexpr const char* kGreaterEqual = "GreaterEqual";
constexpr const char* kAnd = "LogicalAnd";
constexpr const char* kOr = "LogicalOr";
constexpr const char* kXor = "LogicalXor";
constexpr const char* kBitwiseAnd = "BitwiseAnd";
constexpr const char* kBitwiseOr = "BitwiseOr";
constexpr const char* kBitwiseXor = "BitwiseXor";
constexpr const char* kMaximum = "Maximum";
constexpr const char* kMinimum = "Minimum";

/// Shift counts of the width of the type and above give 0.
Value guarded_shift(NodeContext& node, Value shifted, Value count, std::int64_t bits) {
  const auto known = node.known_integers(count);
  const bool is_in_range =
      known && std::ranges::all_of(*known, [&](std::int64_t n) { return n >= 0 && n < bits; });
  if (is_in_range) return shifted;
  const ElementType type = count.type();
  const Value fits = node.op("LogicalAnd", {node.op("Less", {count, node.integer(bits, type)}),
                                            node.op("GreaterEqual", {count, node.integer(0, type)})});
  return node.op("Select", {fits, shifted, node.integer(0, shifted.type())});
}

/// BitShift 11, 28: unsigned integers. The runtime computes in i32, so bits beyond the type are cut off.
Values bit_shift_11(NodeContext& node) {
  const std::string direction = node.text("direction");
  if (direction != "LEFT" && direction != "RIGHT") node.fail("attribute 'direction' must be LEFT or RIGHT");
  const Value value = node.input(0);
  const Value count = node.input(1);
  const std::int64_t bits = ir::info(value.type()).bits;
  constexpr std::int64_t kComputedBits = 32;
  if (direction == "RIGHT") {
    return {guarded_shift(node, node.op("BitwiseRightShift", {value, count}), count, bits)};
  }
  const bool is_narrow = bits < kComputedBits;
  const ElementType computed = is_narrow ? ElementType::i32 : value.type();
  Value shifted =
      node.op("BitwiseLeftShift", {convert(node, value, computed), convert(node, count, computed)});
  if (is_narrow) {
    shifted = node.op("BitwiseAnd", {shifted, node.integer((std::int64_t{1} << bits) - 1, computed)});
  }
  return {convert(node, guarded_shift(node, shifted, count, bits), value.type())};
}

/// Where 9, 16.
Values where_9(NodeContext& node) {
  return {node.op("Select", {node.input(0), node.input(1), node.input(2)})};
}

/// Max, Min, Sum 1, 6, 8, 12, 13: any number of inputs, from 8 on broadcast.
template <Emit kEmit>
Values variadic_1(NodeContext& node) {
  Value result = node.input(0);
  for (std::size_t i = 1; i < node.input_count(); ++i) result = kEmit(node, result, node.input(i));
  return {result};
}

Values mean_1(NodeContext& node) {
  const Value sum = variadic_1<add>(node).front();
  const auto count = static_cast<double>(node.input_count());
  if (node.input_count() == 1) return {sum};
  return {divide(node, sum, node.number_like(count, sum))};
}

}  // namespace

std::vector<TranslatorRow> elementwise_translators() {
  return {
      {"Add", 1, binary_1<add>},
      {"Add", 7, binary_7<add>},
      {"Sub", 1, binary_1<subtract>},
      {"Sub", 7, binary_7<subtract>},
      {"Mul", 1, binary_1<multiply>},
      {"Mul", 7, binary_7<multiply>},
      {"Div", 1, binary_1<quotient>},
      {"Div", 7, binary_7<quotient>},
      {"Pow", 1, binary_1<power>},
      {"Pow", 7, binary_7<power>},
      {"Mod", 10, mod_10},
      {"Equal", 1, binary_1<plain<kEqual>>},
      {"Equal", 7, binary_7<plain<kEqual>>},
      {"Less", 1, binary_1<plain<kLess>>},
      {"Less", 7, binary_7<plain<kLess>>},
      {"LessOrEqual", 12, binary_7<plain<kLessEqual>>},
      {"Greater", 1, binary_1<plain<kGreater>>},
      {"Greater", 7, binary_7<plain<kGreater>>},
      {"GreaterOrEqual", 12, binary_7<plain<kGreaterEqual>>},
      {"And", 1, binary_1<plain<kAnd>>},
      {"And", 7, binary_7<plain<kAnd>>},
      {"Or", 1, binary_1<plain<kOr>>},
      {"Or", 7, binary_7<plain<kOr>>},
      {"Xor", 1, binary_1<plain<kXor>>},
      {"Xor", 7, binary_7<plain<kXor>>},
      {"BitwiseAnd", 18, binary_7<plain<kBitwiseAnd>>},
      {"BitwiseOr", 18, binary_7<plain<kBitwiseOr>>},
      {"BitwiseXor", 18, binary_7<plain<kBitwiseXor>>},
      {"BitShift", 11, bit_shift_11},
      {"Where", 9, where_9},
      {"Max", 1, variadic_1<plain<kMaximum>>},
      {"Min", 1, variadic_1<plain<kMinimum>>},
      {"Sum", 1, variadic_1<add>},
      {"Mean", 1, mean_1},
  };
}

}  // namespace onnx2ir::frontend
