#include "frontend/translators/onnx/shape_tools.hpp"

#include <functional>
#include <numeric>

namespace onnx2ir::frontend {

Value shape_of(Builder& builder, Value value) {
  if (const auto sizes = value.shape().sizes()) return builder.integers(*sizes);
  return builder.op(ops::ShapeOf, {value}, {{"output_type", ElementType::i64}});
}

Value dimension_of(Builder& builder, Value value, std::int64_t axis) {
  const ir::Dimension known = value.shape()[static_cast<std::size_t>(axis)];
  if (known.is_static()) return builder.integers({known.size()});
  const Value place = builder.integers({axis});
  return gather(builder, shape_of(builder, value), place);
}

Value reshape(Builder& builder, Value value, Value shape) {
  return builder.op(ops::Reshape, {value, shape}, {{"special_zero", false}});
}

Value reshape(Builder& builder, Value value, std::vector<std::int64_t> shape) {
  if (value.shape().sizes() == shape) return value;
  return reshape(builder, value, builder.integers(shape));
}

Value reshape_constant(Builder& builder, Value value, const std::vector<std::int64_t>& shape) {
  const PartialShape& old_shape = value.shape();
  const ir::ConstantData* data = value.node->constant();
  const std::int64_t elements =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  // Inference refuses a Reshape to another number of elements.
  if (data == nullptr || old_shape.sizes() == shape || old_shape.element_count() != elements)
    return reshape(builder, value, shape);
  return builder.constant(value.type(), shape, *data);
}

Value concat(Builder& builder, const Values& values, std::int64_t axis) {
  return values.size() == 1 ? values.front() : builder.op(ops::Concat, values, {{"axis", axis}});
}

Value transpose(Builder& builder, Value value, const std::vector<std::int64_t>& order) {
  return builder.op(ops::Transpose, {value, builder.integers(order)});
}

Value gather(Builder& builder, Value from, Value indices, std::int64_t axis) {
  return builder.op(ops::Gather, {from, indices, builder.integer(axis)}, {{"batch_dims", 0}});
}

Value squeeze(Builder& builder, Value value, std::vector<std::int64_t> axes) {
  return axes.empty() ? value : builder.op(ops::Squeeze, {value, builder.integers(axes)});
}

Value unsqueeze(Builder& builder, Value value, std::vector<std::int64_t> axes) {
  return axes.empty() ? value : builder.op(ops::Unsqueeze, {value, builder.integers(axes)});
}

Value broadcast_to(Builder& builder, Value value, Value shape) {
  return builder.op(ops::Broadcast, {value, shape}, {{"mode", "numpy"}});
}

Value slice(Builder& builder, Value value, Value start, Value stop, std::int64_t axis, std::int64_t step) {
  return builder.op(ops::Slice, {value, start, stop, builder.integers({step}), builder.integers({axis})});
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
