// Elementwise operations on one value: conversions, mathematics, activations. Some activations have
// additional parameters (PReLU's slope is broadcast to the data).
#include <algorithm>
#include <cmath>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/value_ranges.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = AttributeSpec::Kind;
using Presence = AttributeSpec::Presence;

void infer_same(Node& node) {
  const ElementType type = node.input(0).type();
  require(type != ElementType::boolean && type != ElementType::string, "the input must be a number");
  set_output(node, 0, type, node.input(0).shape());
}

template <RangeFunction1 kFunction, const NumberFunction1& kOfNumbers>
void infer_same_and_known(Node& node) {
  infer_same(node);
  if (is_floating(node.output(0).type)) {
    propagate(node, kOfNumbers);
  } else {
    propagate(node, kFunction);
  }
}

bool has_exact_elements(Value value) {
  const auto known = known_values(value);
  return known && std::ranges::all_of(*known, [](const ValueRange& range) { return range.is_exact(); });
}

/// OpenVINO's inference knows intervals of Abs, but of the other functions only exact elements.
template <RangeFunction1 kFunction, const NumberFunction1& kOfNumbers>
void infer_same_and_exact(Node& node) {
  if (has_exact_elements(node.input(0))) return infer_same_and_known<kFunction, kOfNumbers>(node);
  infer_same(node);
}

/// A function for f32 and f64.
template <typename Function>
constexpr NumberFunction1 numbers(Function function) {
  return {function, function};
}
constexpr NumberFunction1 kAbsolute = numbers([](auto a) { return std::abs(a); });
constexpr NumberFunction1 kNegated = numbers([](auto a) { return -a; });
constexpr NumberFunction1 kSignOf =
    numbers([](auto a) { return static_cast<decltype(a)>((a > 0) - (a < 0)); });
constexpr NumberFunction1 kPositivePart = numbers([](auto a) { return a > 0 ? a : decltype(a){}; });
constexpr NumberFunction1 kFloor = numbers([](auto a) { return std::floor(a); });
constexpr NumberFunction1 kCeiling = numbers([](auto a) { return std::ceil(a); });
constexpr NumberFunction1 kHalfToEven = numbers([](auto a) { return std::nearbyint(a); });
constexpr NumberFunction1 kSquareRoot = numbers([](auto a) { return std::sqrt(a); });

void infer_square_root(Node& node) {
  infer_same(node);
  if (has_exact_elements(node.input(0))) propagate(node, kSquareRoot);
}

ValueRange positive_part(ValueRange a) {
  return maximum(a, ValueRange::exactly(0));
}
ValueRange unchanged(ValueRange a) {
  return a;
}

void infer_clamp(Node& node) {
  infer_same(node);
  require(node.real("min") <= node.real("max"), "Clamp's min is greater than its max");
}

void infer_conversion_to(Node& node, ElementType type) {
  const Value input = node.input(0);
  set_output(node, 0, type, input.shape());
  auto known = known_values(input);
  if (!known) return;
  for (ValueRange& element : *known) element = converted(element, input.type(), type);
  set_known(node, 0, *std::move(known));
}

void infer_convert(Node& node) {
  infer_conversion_to(node, node.type("destination_type"));
}

void infer_convert_like(Node& node) {
  infer_conversion_to(node, node.input(1).type());
}

void infer_test(Node& node) {
  set_output(node, 0, ElementType::boolean, node.input(0).shape());
}

void infer_logical_not(Node& node) {
  require(node.input(0).type() == ElementType::boolean, "the input must be boolean");
  set_output(node, 0, ElementType::boolean, node.input(0).shape());
  propagate(node, logical_not);
}

void infer_bitwise_not(Node& node) {
  const ElementType type = node.input(0).type();
  require(type == ElementType::boolean || is_integral(type), "the input must be an integer or boolean");
  set_output(node, 0, type, node.input(0).shape());
}

/// The other inputs are scalars or a slope, and have the type of the data.
void infer_with_parameters(Node& node) {
  same_type(node, 0, node.inputs().size());
  infer_same(node);
}

}  // namespace

std::vector<OpDescriptor> unary_ops() {
  std::vector<OpDescriptor> ops = {
      {"Convert",
       "opset1",
       1,
       1,
       1,
       {{"destination_type", Kind::type},
        // The input is quantised with 256 steps that cover its range: the result of DynamicQuantizeLinear.
        {"covers_range", Kind::boolean, Presence::note}},
       infer_convert},
      {"ConvertLike", "opset1", 2, 2, 1, {}, infer_convert_like},
      {"LogicalNot", "opset1", 1, 1, 1, {}, infer_logical_not},
      {"BitwiseNot", "opset13", 1, 1, 1, {}, infer_bitwise_not},
      {"Abs", "opset1", 1, 1, 1, {}, infer_same_and_known<absolute, kAbsolute>},
      {"Negative", "opset1", 1, 1, 1, {}, infer_same_and_exact<negate, kNegated>},
      {"Sign", "opset1", 1, 1, 1, {}, infer_same_and_exact<sign, kSignOf>},
      {"ReLU", "opset1", 1, 1, 1, {}, infer_same_and_exact<positive_part, kPositivePart>},
      {"Floor", "opset1", 1, 1, 1, {}, infer_same_and_exact<unchanged, kFloor>},
      {"Ceiling", "opset1", 1, 1, 1, {}, infer_same_and_exact<unchanged, kCeiling>},
      {"Sqrt", "opset1", 1, 1, 1, {}, infer_square_root},
      {"Round", "opset5", 1, 1, 1, {{"mode", Kind::text}}, infer_same_and_exact<unchanged, kHalfToEven>},
      {"Clamp", "opset1", 1, 1, 1, {{"min", Kind::real}, {"max", Kind::real}}, infer_clamp},
      {"IsNaN", "opset10", 1, 1, 1, {}, infer_test},
      {"IsFinite", "opset10", 1, 1, 1, {}, infer_test},
      {"IsInf",
       "opset10",
       1,
       1,
       1,
       {{"detect_negative", Kind::boolean}, {"detect_positive", Kind::boolean}},
       infer_test},
      {"Gelu", "opset7", 1, 1, 1, {{"approximation_mode", Kind::text}}, infer_same},
      {"Elu", "opset1", 1, 1, 1, {{"alpha", Kind::real}}, infer_same},
      {"Selu", "opset1", 3, 3, 1, {}, infer_with_parameters},
      {"HardSigmoid", "opset1", 3, 3, 1, {}, infer_with_parameters},
      {"PReLU", "opset1", 2, 2, 1, {}, infer_with_parameters},
      {"Swish", "opset4", 1, 2, 1, {}, infer_with_parameters},
  };
  struct SimpleOp {
    std::string_view name;
    std::string_view opset;
  };
  constexpr SimpleOp kSimpleOps[] = {
      {"Exp", "opset1"},      {"Log", "opset1"},   {"Sin", "opset1"},    {"Cos", "opset1"},
      {"Tan", "opset1"},      {"Asin", "opset1"},  {"Acos", "opset1"},   {"Atan", "opset1"},
      {"Sinh", "opset1"},     {"Cosh", "opset1"},  {"Tanh", "opset1"},   {"Asinh", "opset4"},
      {"Acosh", "opset4"},    {"Atanh", "opset4"}, {"Erf", "opset1"},    {"Sigmoid", "opset1"},
      {"SoftPlus", "opset4"}, {"Mish", "opset4"},  {"HSwish", "opset4"}, {"HSigmoid", "opset5"},
      {"SoftSign", "opset9"},
  };
  for (const SimpleOp& op : kSimpleOps) ops.push_back({op.name, op.opset, 1, 1, 1, {}, infer_same});
  for (OpDescriptor& op : ops) op.traits.keeps_shape = true;
  return ops;
}

}  // namespace onnx2ir::ir
