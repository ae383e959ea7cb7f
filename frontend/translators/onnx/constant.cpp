// Constants, and tensors that are created from a shape: Constant, ConstantOfShape, EyeLike.
#include <span>
#include <vector>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_data.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// A vector of `values`, copied in one piece: functions can have long lists, which each call copies.
template <typename Number>
Value emit_list(NodeContext& node, const google::protobuf::RepeatedField<Number>& values, ElementType type) {
  const std::int64_t shape[] = {values.size()};
  const std::span numbers(values.data(), static_cast<std::size_t>(values.size()));
  const auto bytes = std::as_bytes(numbers);
  return node.constant(type, shape, ir::ConstantData(std::vector<std::byte>(bytes.begin(), bytes.end())));
}

/// Constant 1, 9, 11 (sparse_value), 12 (value_int and its kind), 13, 19, 21, 23, 24, 25 (element types).
Values constant_1(NodeContext& node) {
  for (const char* name : {"value", "sparse_value"}) {
    if (!node.has_attribute(name)) continue;
    TensorAttribute tensor = node.tensor_attribute(name);
    return {node.constant(tensor.type, tensor.shape, std::move(tensor.data))};
  }
  if (node.has_attribute("value_int")) return {node.integer(node.integer_attribute("value_int"))};
  if (const auto* list = node.find_attribute("value_ints"))
    return {emit_list(node, list->ints(), ElementType::i64)};
  if (node.has_attribute("value_float"))
    return {node.number(node.real_attribute("value_float"), ElementType::f32)};
  if (const auto* list = node.find_attribute("value_floats"))
    return {emit_list(node, list->floats(), ElementType::f32)};
  for (const char* name : {"value_string", "value_strings"}) {
    if (!node.has_attribute(name)) continue;
    const auto texts = node.text_list(name);
    auto packed = pack_strings(std::vector<std::string_view>(texts.begin(), texts.end()));
    if (!packed) node.fail("the strings are too long");
    ir::Integers shape;
    if (name == std::string_view("value_strings")) shape.push_back(std::ssize(texts));
    return {node.constant(ElementType::string, shape, ir::ConstantData(*std::move(packed)))};
  }
  node.fail("it has no value");
}

/// ConstantOfShape 9, 20, 21, 23, 24, 25: the versions differ in element types.
Values constant_of_shape_9(NodeContext& node) {
  Value value = node.number(0.0, ElementType::f32);
  if (node.has_attribute("value")) {
    TensorAttribute tensor = node.tensor_attribute("value");
    if (PartialShape(tensor.shape).element_count() != 1)
      node.fail("the attribute 'value' must be a tensor of one element");
    value = node.constant(tensor.type, {}, std::move(tensor.data));
  }
  // An empty list of sizes makes a scalar.
  if (node.input(0).shape().element_count() == 0) return {value};
  return {broadcast_to(node, value, convert_to_dimensions(node, node.input(0)))};
}

/// EyeLike 9, 22.
Values eye_like_9(NodeContext& node) {
  const Value input = node.input(0);
  if (node.rank(input) != 2) node.fail("the input must be a matrix");
  const ElementType type = node.element_type_attribute("dtype", input.type());
  const auto size = [&](std::int64_t axis) {
    return reshape_to_scalar(node, dimension_of(node, input, axis));
  };
  return {node.op(ops::Eye, {size(0), size(1), node.integer(node.integer_attribute("k", 0))},
                  {{"output_type", type}})};
}

}  // namespace

std::vector<TranslatorRow> constant_translators() {
  return {
      {"Constant", 1, constant_1},
      {.name = "ConstantOfShape", .since = 9, .translate = constant_of_shape_9, .lists = {0, 1}},
      {"EyeLike", 9, eye_like_9},
  };
}

}  // namespace onnx2ir::frontend
