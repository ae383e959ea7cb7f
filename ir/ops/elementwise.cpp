// Elementwise operations on two values, or on a condition and two values, with numpy broadcasting.
#include "ir/views/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/portable_math.hpp"
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/value_ranges.hpp"

namespace onnx2ir::ir {
namespace {

PartialShape broadcast_inputs(const Node& node, std::size_t a, std::size_t b) {
  const auto shape = broadcast(node.input(a).shape(), node.input(b).shape());
  if (!shape) {
    invalid("shapes " + to_string(node.input(a).shape()) + " and " + to_string(node.input(b).shape()) +
            " cannot be broadcast together");
  }
  return *shape;
}

void infer_numbers(Node& node) {
  const ElementType type = same_type(node, 0, 2);
  set_output(node, 0, type, broadcast_inputs(node, 0, 1));
}

/// Arithmetic on an interval without an upper bound loses a positive lower bound, as in OpenVINO's inference.
template <RangeFunction2 kFunction>
ValueRange with_openvino_bounds(ValueRange a, ValueRange b) {
  ValueRange result = kFunction(a, b);
  const bool is_unbounded = std::max(a.max, b.max) == ValueRange().max;
  if (is_unbounded && !result.is_exact() && result.min > 0) result.min = 0;
  return result;
}

template <RangeFunction2 kFunction, const NumberFunction2& kOfNumbers>
void infer_arithmetic(Node& node) {
  infer_numbers(node);
  propagate(node, kOfNumbers, with_openvino_bounds<kFunction>);
}

constexpr NumberFunction2 kSum([](auto a, auto b) { return a + b; });
constexpr NumberFunction2 kDifference([](auto a, auto b) { return a - b; });
constexpr NumberFunction2 kProduct([](auto a, auto b) { return a * b; });
constexpr NumberFunction2 kQuotient([](auto a, auto b) { return a / b; });
constexpr NumberFunction2 kRemainder([](auto a, auto b) { return std::fmod(a, b); });
constexpr NumberFunction2 kFlooredRemainder([](auto a, auto b) { return a - b * std::floor(a / b); });
constexpr NumberFunction2 kPower([](auto a, auto b) { return base::power(a, b); });
// NaN if an operand is NaN: both return `a` if the operands cannot be compared.
constexpr NumberFunction2 kLarger([](auto a, auto b) { return std::isnan(b) ? b : std::max(a, b); });
constexpr NumberFunction2 kSmaller([](auto a, auto b) { return std::isnan(b) ? b : std::min(a, b); });

void infer_divide(Node& node) {
  infer_numbers(node);
  const bool is_flooring = DivideView(node).m_pythondiv().value_or(true);
  propagate(node, kQuotient,
            is_flooring ? with_openvino_bounds<divide_flooring> : with_openvino_bounds<divide_truncating>);
}

template <RangeFunction2 kFunction, bool (*kOfNumbers)(double, double)>
void infer_comparison(Node& node) {
  same_type(node, 0, 2);
  set_output(node, 0, ElementType::boolean, broadcast_inputs(node, 0, 1));
  propagate(node, kOfNumbers, kFunction);
}

constexpr RangeFunction2 kNotEqual = [](ValueRange a, ValueRange b) { return logical_not(equal(a, b)); };
constexpr RangeFunction2 kGreater = [](ValueRange a, ValueRange b) { return less(b, a); };
constexpr RangeFunction2 kGreaterOrEqual = [](ValueRange a, ValueRange b) { return less_or_equal(b, a); };

template <RangeFunction2 kFunction>
void infer_logical(Node& node) {
  require(same_type(node, 0, 2) == ElementType::boolean, "the inputs must be boolean");
  set_output(node, 0, ElementType::boolean, broadcast_inputs(node, 0, 1));
  propagate(node, kFunction);
}

void infer_bitwise(Node& node) {
  const ElementType type = same_type(node, 0, 2);
  require(type == ElementType::boolean || is_integral(type), "the inputs must be integers or boolean");
  set_output(node, 0, type, broadcast_inputs(node, 0, 1));
}

/// An interval as in OpenVINO's inference, where arithmetic on a dimension without an upper bound gives the
/// interval from 0 to infinity, also if its result can be negative.
ValueRange openvino_range(ValueRange range) {
  constexpr ValueRange kAny;
  return range.min == kAny.min || range.max == kAny.max ? ValueRange{0, kAny.max} : range;
}

/// The elements of the condition of a Select that OpenVINO's inference takes for known, of which some may be
/// wrong at run time.
std::optional<KnownValues> openvino_condition(Value condition, std::span<const std::int64_t> sizes) {
  const auto comparison = match<EqualView>(condition);
  if (!comparison || !is_integral(comparison->a().type())) return known_broadcast(condition, sizes);
  auto result = known_broadcast(comparison->a(), sizes);
  const auto other = known_broadcast(comparison->b(), sizes);
  if (!result || !other) return std::nullopt;
  for (std::size_t i = 0; i < result->size(); ++i) {
    (*result)[i] = equal(openvino_range((*result)[i]), openvino_range((*other)[i]));
  }
  return result;
}

void infer_select(Node& node) {
  const SelectView select = node;
  require(select.condition().type() == ElementType::boolean, "the condition must be boolean");
  const auto shape = broadcast(broadcast_inputs(node, 1, 2), select.condition().shape());
  require(shape.has_value(), "condition and values cannot be broadcast together");
  set_output(node, 0, same_type(node, 1, 3), *shape);
  const auto sizes = shape->sizes();
  if (!sizes) return;
  const auto condition = known_broadcast(select.condition(), *sizes);
  const auto assumed = openvino_condition(select.condition(), *sizes);
  const auto yes = known_broadcast(select.then_value(), *sizes);
  const auto no = known_broadcast(select.else_value(), *sizes);
  if (!condition || !assumed || !yes || !no) return;
  KnownValues result(condition->size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    // OpenVINO then knows no element, not even those whose condition it knows.
    if (!truth((*assumed)[i]).is_exact()) return;
    const ValueRange known = truth((*condition)[i]);
    if (known.is_exact()) result[i] = known.min != 0 ? (*yes)[i] : (*no)[i];
  }
  set_known(node, 0, std::move(result));
}

template <typename Comparison>
bool compare(double a, double b) {
  return Comparison()(a, b);
}

}  // namespace

std::vector<OpFunction> elementwise_functions() {
  return {
      {ops::Add, infer_arithmetic<add, kSum>},
      {ops::Subtract, infer_arithmetic<subtract, kDifference>},
      {ops::Multiply, infer_arithmetic<multiply, kProduct>},
      {ops::Divide, infer_divide},
      {ops::Mod, infer_arithmetic<remainder_truncating, kRemainder>},
      {ops::FloorMod, infer_arithmetic<remainder_flooring, kFlooredRemainder>},
      {ops::Power, infer_arithmetic<power, kPower>},
      {ops::Maximum, infer_arithmetic<maximum, kLarger>},
      {ops::Minimum, infer_arithmetic<minimum, kSmaller>},
      {ops::SquaredDifference, infer_numbers},
      {ops::Equal, infer_comparison<equal, compare<std::equal_to<>>>},
      {ops::NotEqual, infer_comparison<kNotEqual, compare<std::not_equal_to<>>>},
      {ops::Less, infer_comparison<less, compare<std::less<>>>},
      {ops::LessEqual, infer_comparison<less_or_equal, compare<std::less_equal<>>>},
      {ops::Greater, infer_comparison<kGreater, compare<std::greater<>>>},
      {ops::GreaterEqual, infer_comparison<kGreaterOrEqual, compare<std::greater_equal<>>>},
      {ops::LogicalAnd, infer_logical<logical_and>},
      {ops::LogicalOr, infer_logical<logical_or>},
      {ops::LogicalXor, infer_logical<logical_xor>},
      {{ops::BitwiseAnd, ops::BitwiseOr, ops::BitwiseXor, ops::BitwiseLeftShift, ops::BitwiseRightShift},
       infer_bitwise},
      {ops::Select, infer_select},
  };
}

}  // namespace onnx2ir::ir
