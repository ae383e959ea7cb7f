#include "frontend/translators/onnx/shape_tools.hpp"

#include <algorithm>

namespace onnx2ir::frontend {

Value reshape_constant(Builder& builder, Value value, const std::vector<std::int64_t>& shape) {
  const PartialShape& old_shape = value.shape();
  const ir::ConstantData* data = value.node->constant();
  // Inference rejects a Reshape to another number of elements.
  if (data == nullptr || old_shape.sizes() == ir::Integers(shape) ||
      old_shape.element_count() != PartialShape(shape).element_count())
    return reshape(builder, value, shape);
  return builder.constant(value.type(), shape, *data);
}

Value as_list(Builder& builder, Value value) {
  value = convert(builder, value, ElementType::i64);
  return value.shape().is_scalar() ? unsqueeze(builder, value, {0}) : value;
}

void reject_repeated_axes(const NodeContext& node, std::span<const std::int64_t> axes, std::int64_t rank) {
  std::vector<std::int64_t> sorted(axes.begin(), axes.end());
  for (std::int64_t& axis : sorted) axis = node.axis(axis, rank);
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::adjacent_find(sorted);
  if (repeated != sorted.end()) node.fail("axis " + std::to_string(*repeated) + " is given twice");
}

Value of_length(Builder& builder, Value list, std::int64_t length) {
  return list.shape().element_count() ? list : reshape(builder, list, std::vector<std::int64_t>{length});
}

Value dimension_list(NodeContext& node, Value list) {
  list = convert(node, list, ElementType::i64);
  if (list.shape().has_rank() && list.shape().rank() > 1) {
    node.fail("the dimensions of the result must be a list, not a tensor of shape " +
              to_string(list.shape()));
  }
  if (list.shape().element_count()) return list;
  const auto rank = node.declared_rank(0);
  if (!rank) {
    node.fail("the rank of the result is not known: it has as many dimensions as a list of unknown length",
              "OpenVINO has no values of dynamic rank; declare the shape of the result in the model");
  }
  return of_length(node, list, *rank);
}

}  // namespace onnx2ir::frontend
