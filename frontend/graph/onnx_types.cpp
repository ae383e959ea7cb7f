#include "frontend/graph/onnx_types.hpp"

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_types.hpp"

namespace onnx2ir::frontend {

std::optional<OperandType> to_tensor_type(const onnx::TypeProto& type) {
  if (!type.has_tensor_type()) return std::nullopt;
  const TensorTypeInfo* const element = find_tensor_type(type.tensor_type().elem_type());
  if (element == nullptr || !element->ir_type) return std::nullopt;
  return OperandType{.type = *element->ir_type, .shape = declared_shape(type)};
}

Result<OperandType> to_operand_type(const onnx::TypeProto& type) {
  using Kind = OperandType::Kind;
  const auto refuse = [](std::string reason) {
    return Problem{DiagnosticCode::cannot_convert, std::move(reason)};
  };
  if (type.has_tensor_type()) {
    if (auto tensor = to_tensor_type(type)) return *std::move(tensor);
    return refuse("is of element type " + std::string(tensor_type_name(type.tensor_type().elem_type())) +
                  ", which OpenVINO does not have");
  }
  if (type.has_sequence_type()) {
    auto element = to_operand_type(type.sequence_type().elem_type());
    if (!element) return element;
    if (element->kind != Kind::tensor) return refuse("is a sequence whose elements are not tensors");
    element->kind = Kind::sequence;
    return element;
  }
  if (type.has_optional_type()) {
    const auto content = to_operand_type(type.optional_type().elem_type());
    if (!content) return content;
    return OperandType{.kind = Kind::optional, .content = std::make_shared<const OperandType>(*content)};
  }
  return refuse("is not a tensor, a sequence or an optional");
}

namespace {

void set_tensor_type(onnx::TypeProto& target, ir::ElementType type, const ir::PartialShape& shape) {
  if (const auto onnx_type = onnx_type_of(type)) target.mutable_tensor_type()->set_elem_type(*onnx_type);
  if (!shape.has_rank()) return;
  auto& sizes = *target.mutable_tensor_type()->mutable_shape();
  for (const ir::Dimension& dimension : shape) {
    auto& size = *sizes.add_dim();
    if (dimension.is_static()) size.set_dim_value(dimension.size());
  }
}

void set_type(onnx::TypeProto& target, const OperandType& type) {
  switch (type.kind) {
    case OperandType::Kind::tensor:
      return set_tensor_type(target, type.type, type.shape);
    case OperandType::Kind::sequence:
      return set_tensor_type(*target.mutable_sequence_type()->mutable_elem_type(), type.type, type.shape);
    case OperandType::Kind::optional:
      if (type.content != nullptr)
        set_type(*target.mutable_optional_type()->mutable_elem_type(), *type.content);
  }
}

}  // namespace

std::vector<onnx::TypeProto> to_onnx_types(std::span<const Operand> operands) {
  std::vector<onnx::TypeProto> types(operands.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!is_absent(operands[i])) set_type(types[i], type_of(operands[i]));
  }
  return types;
}

std::optional<ir::AttributeValue> attribute_value(const onnx::AttributeProto& attribute) {
  using Type = onnx::AttributeProto;
  switch (attribute.type()) {
    case Type::INT:
      return attribute.i();
    case Type::FLOAT:
      return static_cast<double>(attribute.f());
    case Type::STRING:
      return attribute.s();
    case Type::INTS:
      return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
    case Type::FLOATS:
      return std::vector<double>(attribute.floats().begin(), attribute.floats().end());
    case Type::STRINGS:
      return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    default:
      return std::nullopt;
  }
}

}  // namespace onnx2ir::frontend
