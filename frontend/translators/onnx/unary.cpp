// Elementwise mathematics on one tensor, and Clip. Version 1 has an attribute consumed_inputs that does not
// affect the result; later versions differ in element types only, except where noted.
#include <cmath>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "ir/small_floats.hpp"

namespace onnx2ir::frontend {
namespace {

Values round_11(NodeContext& node) {
  return {round_to_even(node, node.input(0))};
}

Values reciprocal_1(NodeContext& node) {
  const Value x = node.input(0);
  return {divide(node, node.number_like(1, x), x)};
}

/// IsInf 10, 20.
Values is_inf_10(NodeContext& node) {
  return {node.op(ops::IsInf, {node.input(0)},
                  {{"detect_negative", node.flag_attribute("detect_negative", true)},
                   {"detect_positive", node.flag_attribute("detect_positive", true)}})};
}

/// The value of a bound if it is a known finite number.
std::optional<double> known_bound(const NodeContext& node, Value bound) {
  const auto numbers = node.known_numbers(bound);
  if (!numbers || numbers->size() != 1 || std::isnan(numbers->front())) return std::nullopt;
  return numbers->front();
}

/// The bound of Clip that is absent: the largest finite number. Before version 12, the bounds of f16 are
/// those of f32, which do not limit it. OpenVINO does not compute f64 in its own precision.
std::optional<double> default_bound(const NodeContext& node, ElementType type) {
  constexpr std::int64_t kFirstWithHalfPrecision = 12;
  if (type == ElementType::f16 && node.opset() < kFirstWithHalfPrecision) return std::nullopt;
  return type == ElementType::f64 ? std::nullopt : ir::largest_finite(type);
}

/// Clip of a value with at least one bound. If min exceeds max, the result is max.
Value clip_between(NodeContext& node, Value x, Value min, Value max) {
  if (min && max && ir::is_floating(x.type())) {
    const auto low = known_bound(node, min);
    const auto high = known_bound(node, max);
    if (low && high && *low <= *high) return node.op(ops::Clamp, {x}, {{"min", *low}, {"max", *high}});
  }
  if (min) x = node.op(ops::Maximum, {x, require_scalar(node, min, "min")});
  if (max) x = node.op(ops::Minimum, {x, require_scalar(node, max, "max")});
  return x;
}

/// An absent bound limits infinities to the largest finite number.
Value clip(NodeContext& node, Value x, Value min, Value max) {
  const bool has_bounds = min || max;
  const auto largest = default_bound(node, x.type());
  if (!has_bounds && !largest) return x;
  if (!min && largest) min = node.number_like(-*largest, x);
  if (!max && largest) max = node.number_like(*largest, x);
  const Value clipped = clip_between(node, x, min, max);
  if (has_bounds) return clipped;
  return node.op(ops::Select, {node.op(ops::IsNaN, {x}), x, clipped});
}

/// Clip 1, 6 (bounds as attributes), 11, 12, 13 (as optional inputs).
Values clip_1(NodeContext& node) {
  const Value x = node.input(0);
  const auto bound = [&](std::string_view name, std::size_t index) {
    return node.has_attribute(name) ? node.number_like(node.real_attribute(name), x)
                                    : node.optional_input(index);
  };
  const Value min = bound("min", 1);
  return {clip(node, x, min, bound("max", 2))};
}

}  // namespace

std::vector<TranslatorRow> unary_translators() {
  return with_ranks(RankRule::map, {
                                       {"Abs", 1, same_unary<ops::Abs>},
                                       {"Neg", 1, same_unary<ops::Negative>},
                                       {"Sign", 9, same_unary<ops::Sign>},
                                       {"Sqrt", 1, same_unary<ops::Sqrt>},
                                       {"Exp", 1, same_unary<ops::Exp>},
                                       {"Log", 1, same_unary<ops::Log>},
                                       {"Floor", 1, same_unary<ops::Floor>},
                                       {"Ceil", 1, same_unary<ops::Ceiling>},
                                       {"Round", 11, round_11},
                                       {"Reciprocal", 1, reciprocal_1},
                                       {"Sin", 7, same_unary<ops::Sin>},
                                       {"Cos", 7, same_unary<ops::Cos>},
                                       {"Tan", 7, same_unary<ops::Tan>},
                                       {"Asin", 7, same_unary<ops::Asin>},
                                       {"Acos", 7, same_unary<ops::Acos>},
                                       {"Atan", 7, same_unary<ops::Atan>},
                                       {"Sinh", 9, same_unary<ops::Sinh>},
                                       {"Cosh", 9, same_unary<ops::Cosh>},
                                       {"Tanh", 1, same_unary<ops::Tanh>},
                                       {"Asinh", 9, same_unary<ops::Asinh>},
                                       {"Acosh", 9, same_unary<ops::Acosh>},
                                       {"Atanh", 9, same_unary<ops::Atanh>},
                                       {"Erf", 9, same_unary<ops::Erf>},
                                       {"IsNaN", 9, same_unary<ops::IsNaN>},
                                       {"IsInf", 10, is_inf_10},
                                       {"Not", 1, same_unary<ops::LogicalNot>},
                                       {"BitwiseNot", 18, same_unary<ops::BitwiseNot>},
                                       {"Clip", 1, clip_1},
                                   });
}

}  // namespace onnx2ir::frontend
