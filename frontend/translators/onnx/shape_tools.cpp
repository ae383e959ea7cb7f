#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {

Value reshape_constant(Builder& builder, Value value, const std::vector<std::int64_t>& shape) {
  const PartialShape& old_shape = value.shape();
  const ir::ConstantData* data = value.node->constant();
  // Inference rejects a Reshape to another number of elements.
  if (data == nullptr || old_shape.sizes() == shape ||
      old_shape.element_count() != PartialShape(shape).element_count())
    return reshape(builder, value, shape);
  return builder.constant(value.type(), shape, *data);
}

Value as_list(Builder& builder, Value value) {
  value = convert(builder, value, ElementType::i64);
  return value.shape().is_scalar() ? unsqueeze(builder, value, {0}) : value;
}

Value of_length(Builder& builder, Value list, std::int64_t length) {
  return list.shape().element_count() ? list : reshape(builder, list, std::vector<std::int64_t>{length});
}

Value dimension_list(NodeContext& node, Value list) {
  list = convert(node, list, ElementType::i64);
  if (list.shape().element_count()) return list;
  const auto rank = node.declared_rank(0);
  if (!rank) {
    node.fail("the rank of the result is not known: it has as many dimensions as a list of unknown length",
              "OpenVINO has no values of dynamic rank; declare the shape of the result in the model");
  }
  return of_length(node, list, *rank);
}

}  // namespace onnx2ir::frontend
