// Elementwise operations on one value: conversions, mathematics, activations, FakeQuantize. Some have
// additional parameters (the slope of PReLU is broadcast to the data).
#include "ir/views/unary.hpp"

#include <cmath>
#include <string>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/value_ranges.hpp"
#include "ir/views/quantization.hpp"

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

/// As in OpenVINO's inference, the output has the shape of the data, also if a bound has more elements.
void infer_fake_quantize(Node& node) {
  const FakeQuantizeView quantization = node;
  const ElementType type = same_type(node, 0, 5);
  require(is_floating(type), "the data and the bounds must be floating-point");
  require(quantization.levels() >= 2, "'levels' must be at least 2");
  const std::string broadcasting(quantization.auto_broadcast().value_or("numpy"));
  if (broadcasting != "numpy" && broadcasting != "none")
    invalid("'auto_broadcast' is '" + broadcasting + "', not 'numpy' or 'none'");
  const PartialShape& data = quantization.data().shape();
  for (std::size_t i = 1; i < 5; ++i) {
    const PartialShape& bound = node.input(i).shape();
    const auto merged = broadcasting == "none" ? intersect(data, bound) : broadcast(data, bound);
    if (!merged)
      invalid("a bound of shape " + to_string(bound) + " does not fit data of shape " + to_string(data));
  }
  set_output(node, 0, type, data);
}

}  // namespace

std::vector<OpFunction> unary_functions() {
  return {
      {{ops::Convert, ops::ConvertLike}, infer_convert},
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
      {{ops::IsNaN, ops::IsFinite, ops::IsInf}, infer_test},
      {{ops::Selu, ops::HardSigmoid, ops::PReLU, ops::Swish}, infer_with_parameters},
      {ops::FakeQuantize, infer_fake_quantize},
  };
}

}  // namespace onnx2ir::ir
