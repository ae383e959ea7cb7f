// Optional, OptionalHasElement and OptionalGetElement: a boolean in addition to the value.
#include "frontend/graph/onnx_types.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/families.hpp"

namespace onnx2ir::frontend {
namespace {

/// The placeholder content of an absent optional of `type`.
std::shared_ptr<const Operand> emit_placeholder_content(Builder& builder, const OperandType& type) {
  if (!type.shape.has_rank()) return nullptr;
  Optional absent;
  const OperandType optional{.kind = OperandType::Kind::optional,
                             .content = std::make_shared<const OperandType>(type)};
  absent.has_value = builder.boolean(false);
  const Values tensors = split_operand(builder, make_optional(absent), optional, Boundary::body);
  std::size_t next = 1;
  return std::make_shared<const Operand>(join_operand(type, tensors, next, Boundary::body));
}

Operands optional_15(NodeContext& node) {
  Optional optional;
  if (node.has_input(0)) {
    optional.has_value = node.boolean(true);
    optional.content = std::make_shared<const Operand>(node.operand(0));
    return {make_optional(std::move(optional))};
  }
  optional.has_value = node.boolean(false);
  const auto type = to_operand_type(node.type_attribute("type"));
  if (!type) node.fail("attribute 'type' " + type.error().message);
  optional.content = emit_placeholder_content(node, *type);
  return {make_optional(std::move(optional))};
}

/// 15 accepts optionals; 18 also accepts tensors and sequences, which are always present, and a missing
/// input.
Values optional_has_element_15(NodeContext& node) {
  if (!node.has_input(0)) return {node.boolean(false)};
  const Operand operand = node.operand(0);
  if (const auto* optional = std::get_if<std::shared_ptr<const Optional>>(&operand))
    return {(*optional)->has_value};
  return {node.boolean(true)};
}

Operands optional_get_element_15(NodeContext& node) {
  const Operand operand = node.operand(0);
  if (is_absent(operand)) node.fail("input 0 is missing");
  const auto* optional = std::get_if<std::shared_ptr<const Optional>>(&operand);
  if (optional == nullptr) return {operand};
  if ((*optional)->content == nullptr)
    node.fail("the optional never has an element, and the rank of its element is not known");
  return {*(*optional)->content};
}

}  // namespace

std::vector<TranslatorRow> optional_translators() {
  return {
      {"Optional", 15, optional_15},
      {"OptionalGetElement", 15, optional_get_element_15},
      {"OptionalHasElement", 15, optional_has_element_15},
  };
}

}  // namespace onnx2ir::frontend
