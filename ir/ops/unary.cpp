// Operations on each element of one value: conversions, mathematics, activations. The values a few
// activations take beside their data are parameters of the function (PReLU's slope is broadcast to the data).
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

template <RangeFunction1 kFunction>
void infer_same_and_known(Node& node) {
  infer_same(node);
  if (!is_floating(node.output(0).type)) propagate(node, kFunction);
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

void infer_convert(Node& node) {
  const ElementType type = node.type("destination_type");
  set_output(node, 0, type, node.input(0).shape());
  propagate(node, type == ElementType::boolean ? truth : unchanged);
}

void infer_convert_like(Node& node) {
  set_output(node, 0, node.input(1).type(), node.input(0).shape());
  propagate(node, node.input(1).type() == ElementType::boolean ? truth : unchanged);
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

/// The other inputs are scalars or a slope, of the data's type.
void infer_with_parameters(Node& node) {
  same_type(node, 0, node.inputs().size());
  infer_same(node);
}

}  // namespace

std::vector<OpDescriptor> unary_ops() {
  std::vector<OpDescriptor> ops = {
      {"Convert", "opset1", 1, 1, 1, {{"destination_type", Kind::type}}, infer_convert},
      {"ConvertLike", "opset1", 2, 2, 1, {}, infer_convert_like},
      {"LogicalNot", "opset1", 1, 1, 1, {}, infer_logical_not},
      {"BitwiseNot", "opset13", 1, 1, 1, {}, infer_bitwise_not},
      {"Abs", "opset1", 1, 1, 1, {}, infer_same_and_known<absolute>},
      {"Negative", "opset1", 1, 1, 1, {}, infer_same_and_known<negate>},
      {"Sign", "opset1", 1, 1, 1, {}, infer_same_and_known<sign>},
      {"ReLU", "opset1", 1, 1, 1, {}, infer_same_and_known<positive_part>},
      {"Floor", "opset1", 1, 1, 1, {}, infer_same_and_known<unchanged>},
      {"Ceiling", "opset1", 1, 1, 1, {}, infer_same_and_known<unchanged>},
      {"Round", "opset5", 1, 1, 1, {{"mode", Kind::text}}, infer_same_and_known<unchanged>},
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
  struct Plain {
    std::string_view name;
    std::string_view opset;
  };
  constexpr Plain kPlain[] = {
      {"Sqrt", "opset1"},     {"Exp", "opset1"},      {"Log", "opset1"},   {"Sin", "opset1"},
      {"Cos", "opset1"},      {"Tan", "opset1"},      {"Asin", "opset1"},  {"Acos", "opset1"},
      {"Atan", "opset1"},     {"Sinh", "opset1"},     {"Cosh", "opset1"},  {"Tanh", "opset1"},
      {"Asinh", "opset4"},    {"Acosh", "opset4"},    {"Atanh", "opset4"}, {"Erf", "opset1"},
      {"Sigmoid", "opset1"},  {"SoftPlus", "opset4"}, {"Mish", "opset4"},  {"HSwish", "opset4"},
      {"HSigmoid", "opset5"}, {"SoftSign", "opset9"},
  };
  for (const Plain& plain : kPlain) ops.push_back({plain.name, plain.opset, 1, 1, 1, {}, infer_same});
  return ops;
}

}  // namespace onnx2ir::ir
