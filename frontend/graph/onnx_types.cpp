#include "frontend/graph/onnx_types.hpp"

#include <onnx/onnx_pb.h>

#include "frontend/reader/tensor_types.hpp"

namespace onnx2ir::frontend {

namespace {

std::optional<std::int32_t> onnx_type_of(ir::ElementType type) {
  for (std::int32_t number = 1; const TensorTypeInfo* const row = find_tensor_type(number); ++number) {
    if (row->ir_type == type) return number;
  }
  return std::nullopt;
}

}  // namespace

std::optional<TensorType> to_tensor_type(const onnx::TypeProto& type) {
  if (!type.has_tensor_type()) return std::nullopt;
  const TensorTypeInfo* const element = find_tensor_type(type.tensor_type().elem_type());
  if (element == nullptr || !element->ir_type) return std::nullopt;
  TensorType result{*element->ir_type, {}};
  if (!type.tensor_type().has_shape()) return result;
  std::vector<ir::Dimension> dimensions;
  for (const auto& dimension : type.tensor_type().shape().dim()) {
    dimensions.emplace_back(dimension.has_dim_value() ? dimension.dim_value() : -1);
  }
  result.shape = ir::PartialShape(std::move(dimensions));
  return result;
}

onnx::TypeProto to_onnx_type(ir::Value value) {
  onnx::TypeProto type;
  if (!value) return type;
  if (const auto onnx_type = onnx_type_of(value.type()))
    type.mutable_tensor_type()->set_elem_type(*onnx_type);
  if (!value.shape().has_rank()) return type;
  auto& shape = *type.mutable_tensor_type()->mutable_shape();
  for (const ir::Dimension& dimension : value.shape()) {
    auto& target = *shape.add_dim();
    if (dimension.is_static()) target.set_dim_value(dimension.size());
  }
  return type;
}

}  // namespace onnx2ir::frontend
