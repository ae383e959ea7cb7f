// Elementwise operations on one value: conversions, mathematics, activations. Some activations have
// additional parameters (PReLU's slope is broadcast to the data).
#include "ir/views/unary.hpp"

#include <cmath>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/value_ranges.hpp"

namespace onnx2ir::ir {
namespace {

template <RangeFunction1 kFunction, const NumberFunction1& kOfNumbers>
void infer_number(Node& node) {
  infer_as_data(node);
  propagate(node, kOfNumbers, kFunction);
}

bool has_exact_elements(Value value) {
  const auto known = known_values(value);
  return known && are_exact(*known);
}

/// OpenVINO's inference knows intervals of Abs, but of the other functions only exact elements.
template <RangeFunction1 kFunction, const NumberFunction1& kOfNumbers>
void infer_exact_number(Node& node) {
  if (has_exact_elements(node.input(0))) return infer_number<kFunction, kOfNumbers>(node);
  infer_as_data(node);
}

constexpr NumberFunction1 kAbsolute([](auto a) { return std::abs(a); });
constexpr NumberFunction1 kNegated([](auto a) { return -a; });
constexpr NumberFunction1 kSignOf([](auto a) { return static_cast<decltype(a)>((a > 0) - (a < 0)); });
constexpr NumberFunction1 kPositivePart([](auto a) { return a > 0 ? a : decltype(a){}; });
constexpr NumberFunction1 kFloor([](auto a) { return std::floor(a); });
constexpr NumberFunction1 kCeiling([](auto a) { return std::ceil(a); });
constexpr NumberFunction1 kHalfToEven([](auto a) { return std::nearbyint(a); });
constexpr NumberFunction1 kSquareRoot([](auto a) { return std::sqrt(a); });

void infer_square_root(Node& node) {
  infer_as_data(node);
  if (has_exact_elements(node.input(0))) propagate(node, kSquareRoot);
}

constexpr RangeFunction1 kPositive = [](ValueRange a) { return maximum(a, ValueRange::exactly(0)); };
constexpr RangeFunction1 kUnchanged = [](ValueRange a) { return a; };

void infer_clamp(Node& node) {
  const ClampView clamp = node;
  infer_as_data(node);
  require(clamp.min() <= clamp.max(), "Clamp's min is greater than its max");
}

void infer_convert(Node& node) {
  const Value input = node.input(0);
  const ElementType type = node.is(ops::Convert) ? node.type("destination_type") : node.input(1).type();
  set_output(node, 0, type, input.shape());
  auto known = known_values(input);
  if (!known) return;
  for (ValueRange& element : *known) element = converted(element, input.type(), type);
  set_known(node, 0, *std::move(known));
}

void infer_test(Node& node) {
  require(is_floating(node.input(0).type()), "the input must be a floating-point number");
  set_output(node, 0, ElementType::boolean, node.input(0).shape());
}

void infer_logical_not(Node& node) {
  require(node.input(0).type() == ElementType::boolean, "the input must be boolean");
  infer_as_data(node);
  propagate(node, logical_not);
}

void infer_bitwise_not(Node& node) {
  const ElementType type = node.input(0).type();
  require(type == ElementType::boolean || is_integral(type), "the input must be an integer or boolean");
  infer_as_data(node);
}

/// The other inputs are scalars or a slope, and have the type of the data.
void infer_with_parameters(Node& node) {
  same_type(node, 0, node.inputs().size());
  infer_as_data(node);
}

}  // namespace

std::vector<OpFunction> unary_functions() {
  return {
      {ops::Convert, infer_convert},
      {ops::ConvertLike, infer_convert},
      {ops::LogicalNot, infer_logical_not},
      {ops::BitwiseNot, infer_bitwise_not},
      {ops::Abs, infer_number<absolute, kAbsolute>},
      {ops::Negative, infer_exact_number<negate, kNegated>},
      {ops::Sign, infer_exact_number<sign, kSignOf>},
      {ops::ReLU, infer_exact_number<kPositive, kPositivePart>},
      {ops::Floor, infer_exact_number<kUnchanged, kFloor>},
      {ops::Ceiling, infer_exact_number<kUnchanged, kCeiling>},
      {ops::Sqrt, infer_square_root},
      {ops::Round, infer_exact_number<kUnchanged, kHalfToEven>},
      {ops::Clamp, infer_clamp},
      {ops::IsNaN, infer_test},
      {ops::IsFinite, infer_test},
      {ops::IsInf, infer_test},
      {ops::Selu, infer_with_parameters},
      {ops::HardSigmoid, infer_with_parameters},
      {ops::PReLU, infer_with_parameters},
      {ops::Swish, infer_with_parameters},
  };
}

}  // namespace onnx2ir::ir
