// Mathematics on each element of one tensor, and Clip. Versions 1 have an attribute consumed_inputs that says
// nothing about the result; later ones differ in element types only, but where noted.
#include <cmath>
#include <limits>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"

namespace onnx2ir::frontend {
namespace {

template <const char* const& kOp>
Values plain(NodeContext& node) {
  return {node.op(kOp, {node.input(0)})};
}

constexpr const char* kAbs = "Abs";
constexpr const char* kNeg = "Negative";
constexpr const char* kSign = "Sign";
constexpr const char* kSqrt = "Sqrt";
constexpr const char* kExp = "Exp";
constexpr const char* kLog = "Log";
constexpr const char* kFloor = "Floor";
constexpr const char* kCeiling = "Ceiling";
constexpr const char* kSin = "Sin";
constexpr const char* kCos = "Cos";
constexpr const char* kTan = "Tan";
constexpr const char* kAsin = "Asin";
constexpr const char* kAcos = "Acos";
constexpr const char* kAtan = "Atan";
constexpr const char* kSinh = "Sinh";
constexpr const char* kCosh = "Cosh";
constexpr const char* kTanh = "Tanh";
constexpr const char* kAsinh = "Asinh";
constexpr const char* kAcosh = "Acosh";
constexpr const char* kAtanh = "Atanh";
constexpr const char* kErf = "Erf";
constexpr const char* kIsNan = "IsNaN";
constexpr const char* kNot = "LogicalNot";
constexpr const char* kBitwiseNot = "BitwiseNot";

Values round_11(NodeContext& node) {
  return {node.op("Round", {node.input(0)}, {{"mode", std::string("half_to_even")}})};
}

Values reciprocal_1(NodeContext& node) {
  const Value x = node.input(0);
  return {divide(node, node.number_like(1, x), x)};
}

/// IsInf 10, 20.
Values is_inf_10(NodeContext& node) {
  return {node.op("IsInf", {node.input(0)},
                  {{"detect_negative", node.integer("detect_negative", 1) != 0},
                   {"detect_positive", node.integer("detect_positive", 1) != 0}})};
}

/// The one number of a bound, when it is known and finite.
std::optional<double> known_bound(const NodeContext& node, Value bound) {
  const auto numbers = node.known_numbers(bound);
  if (!numbers || numbers->size() != 1 || std::isnan(numbers->front())) return std::nullopt;
  return numbers->front();
}

/// Where min exceeds max the result is max.
Value clip(NodeContext& node, Value x, Value min, Value max) {
  if (min && max && ir::is_floating(x.type())) {
    const auto low = known_bound(node, min);
    const auto high = known_bound(node, max);
    if (low && high && *low <= *high) return node.op("Clamp", {x}, {{"min", *low}, {"max", *high}});
  }
  if (min) x = node.op("Maximum", {x, scalar(node, min, "min")});
  if (max) x = node.op("Minimum", {x, scalar(node, max, "max")});
  return x;
}

/// Clip 1, 6: bounds are attributes.
Values clip_1(NodeContext& node) {
  const Value x = node.input(0);
  Value min;
  Value max;
  if (node.has_attribute("min")) min = node.number_like(node.real("min"), x);
  if (node.has_attribute("max")) max = node.number_like(node.real("max"), x);
  return {clip(node, x, min, max)};
}

/// Clip 11, 12, 13: bounds are optional inputs.
Values clip_11(NodeContext& node) {
  return {clip(node, node.input(0), node.optional_input(1), node.optional_input(2))};
}

}  // namespace

std::vector<TranslatorRow> unary_translators() {
  return {
      {"Abs", 1, plain<kAbs>},
      {"Neg", 1, plain<kNeg>},
      {"Sign", 9, plain<kSign>},
      {"Sqrt", 1, plain<kSqrt>},
      {"Exp", 1, plain<kExp>},
      {"Log", 1, plain<kLog>},
      {"Floor", 1, plain<kFloor>},
      {"Ceil", 1, plain<kCeiling>},
      {"Round", 11, round_11},
      {"Reciprocal", 1, reciprocal_1},
      {"Sin", 7, plain<kSin>},
      {"Cos", 7, plain<kCos>},
      {"Tan", 7, plain<kTan>},
      {"Asin", 7, plain<kAsin>},
      {"Acos", 7, plain<kAcos>},
      {"Atan", 7, plain<kAtan>},
      {"Sinh", 9, plain<kSinh>},
      {"Cosh", 9, plain<kCosh>},
      {"Tanh", 1, plain<kTanh>},
      {"Asinh", 9, plain<kAsinh>},
      {"Acosh", 9, plain<kAcosh>},
      {"Atanh", 9, plain<kAtanh>},
      {"Erf", 9, plain<kErf>},
      {"IsNaN", 9, plain<kIsNan>},
      {"IsInf", 10, is_inf_10},
      {"Not", 1, plain<kNot>},
      {"BitwiseNot", 18, plain<kBitwiseNot>},
      {"Clip", 1, clip_1},
      {"Clip", 11, clip_11},
  };
}

}  // namespace onnx2ir::frontend
