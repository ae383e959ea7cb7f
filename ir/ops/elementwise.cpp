// Operations on two values, or a condition and two values, element by element with numpy broadcasting.
#include <algorithm>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/value_ranges.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = AttributeSpec::Kind;
using Presence = AttributeSpec::Presence;

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
  require(type != ElementType::boolean && type != ElementType::string, "the inputs must be numbers");
  set_output(node, 0, type, broadcast_inputs(node, 0, 1));
}

template <RangeFunction2 kFunction>
void infer_arithmetic(Node& node) {
  infer_numbers(node);
  if (!is_floating(node.output(0).type)) propagate(node, kFunction);
}

void infer_divide(Node& node) {
  infer_numbers(node);
  if (is_floating(node.output(0).type)) return;
  const AttributeValue* const flooring = node.find_attribute("m_pythondiv");
  propagate(node, flooring == nullptr || std::get<bool>(*flooring) ? divide_flooring : divide_truncating);
}

template <RangeFunction2 kFunction>
void infer_comparison(Node& node) {
  const ElementType type = same_type(node, 0, 2);
  set_output(node, 0, ElementType::boolean, broadcast_inputs(node, 0, 1));
  if (!is_floating(type)) propagate(node, kFunction);
}

ValueRange not_equal(ValueRange a, ValueRange b) {
  return logical_not(equal(a, b));
}
ValueRange greater(ValueRange a, ValueRange b) {
  return less(b, a);
}
ValueRange greater_or_equal(ValueRange a, ValueRange b) {
  return less_or_equal(b, a);
}

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

void infer_select(Node& node) {
  require(node.input(0).type() == ElementType::boolean, "the condition must be boolean");
  const auto shape = broadcast(broadcast_inputs(node, 1, 2), node.input(0).shape());
  require(shape.has_value(), "condition and values cannot be broadcast together");
  set_output(node, 0, same_type(node, 1, 3), *shape);
  const auto sizes = shape->sizes();
  if (!sizes) return;
  const auto condition = known_broadcast(node.input(0), *sizes);
  const auto yes = known_broadcast(node.input(1), *sizes);
  const auto no = known_broadcast(node.input(2), *sizes);
  if (!condition || !yes || !no) return;
  KnownValues result(condition->size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const ValueRange known = truth((*condition)[i]);
    const ValueRange a = (*yes)[i];
    const ValueRange b = (*no)[i];
    result[i] = !known.is_exact() ? ValueRange{std::min(a.min, b.min), std::max(a.max, b.max)}
                : known.min != 0  ? a
                                  : b;
  }
  set_known(node, 0, std::move(result));
}

}  // namespace

std::vector<OpDescriptor> elementwise_ops() {
  return {
      {"Add", "opset1", 2, 2, 1, {}, infer_arithmetic<add>},
      {"Subtract", "opset1", 2, 2, 1, {}, infer_arithmetic<subtract>},
      {"Multiply", "opset1", 2, 2, 1, {}, infer_arithmetic<multiply>},
      // Integers: m_pythondiv rounds toward minus infinity, otherwise toward zero.
      {"Divide", "opset1", 2, 2, 1, {{"m_pythondiv", Kind::boolean, Presence::optional}}, infer_divide},
      {"Mod", "opset1", 2, 2, 1, {}, infer_arithmetic<remainder_truncating>},
      {"FloorMod", "opset1", 2, 2, 1, {}, infer_arithmetic<remainder_flooring>},
      {"Power", "opset1", 2, 2, 1, {}, infer_arithmetic<power>},
      {"Maximum", "opset1", 2, 2, 1, {}, infer_arithmetic<maximum>},
      {"Minimum", "opset1", 2, 2, 1, {}, infer_arithmetic<minimum>},
      {"SquaredDifference", "opset1", 2, 2, 1, {}, infer_numbers},
      {"Equal", "opset1", 2, 2, 1, {}, infer_comparison<equal>},
      {"NotEqual", "opset1", 2, 2, 1, {}, infer_comparison<not_equal>},
      {"Less", "opset1", 2, 2, 1, {}, infer_comparison<less>},
      {"LessEqual", "opset1", 2, 2, 1, {}, infer_comparison<less_or_equal>},
      {"Greater", "opset1", 2, 2, 1, {}, infer_comparison<greater>},
      {"GreaterEqual", "opset1", 2, 2, 1, {}, infer_comparison<greater_or_equal>},
      {"LogicalAnd", "opset1", 2, 2, 1, {}, infer_logical<logical_and>},
      {"LogicalOr", "opset1", 2, 2, 1, {}, infer_logical<logical_or>},
      {"LogicalXor", "opset2", 2, 2, 1, {}, infer_logical<logical_xor>},
      {"BitwiseAnd", "opset13", 2, 2, 1, {}, infer_bitwise},
      {"BitwiseOr", "opset13", 2, 2, 1, {}, infer_bitwise},
      {"BitwiseXor", "opset13", 2, 2, 1, {}, infer_bitwise},
      {"BitwiseLeftShift", "opset15", 2, 2, 1, {}, infer_bitwise},
      {"BitwiseRightShift", "opset15", 2, 2, 1, {}, infer_bitwise},
      {"Select", "opset1", 3, 3, 1, {}, infer_select},
  };
}

}  // namespace onnx2ir::ir
