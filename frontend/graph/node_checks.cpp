#include "frontend/graph/node_checks.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "base/number_text.hpp"
#include "base/small_vector.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "ir/element_type.hpp"

namespace onnx2ir::frontend {
namespace {

InputType::Kind kind_of(ElementType type) {
  if (type == ElementType::string) return InputType::string;
  if (type == ElementType::boolean) return InputType::boolean;
  if (ir::is_floating(type)) return InputType::floating;
  return ir::is_integral(type) ? InputType::integer : InputType::other;
}

std::string type_of(const NodeContext& node, std::size_t index) {
  return std::string(ir::info(node.input(index).type()).name);
}

const InputType& at(std::span<const InputType> types, std::size_t index) {
  return types[std::min(index, types.size() - 1)];
}

bool has_value(const onnx::AttributeProto& attribute, std::string_view text) {
  if (attribute.type() == onnx::AttributeProto::STRING) return attribute.s() == text;
  const auto number = base::parse_number<float>(text);
  if (!number) return false;
  if (attribute.type() == onnx::AttributeProto::FLOAT) return attribute.f() == number;
  return attribute.type() == onnx::AttributeProto::INT && static_cast<float>(attribute.i()) == number;
}

/// Whether `list` has the attribute as NAME or NAME=VALUE.
bool is_listed(const onnx::AttributeProto& attribute, std::string_view list) {
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(' '));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    const auto sign = entry.find('=');
    if (entry.substr(0, sign) != attribute.name()) continue;
    return sign == std::string_view::npos || has_value(attribute, entry.substr(sign + 1));
  }
  return false;
}

}  // namespace

void check_input_types(const NodeContext& node, std::span<const InputType> types) {
  if (types.empty()) return;
  // The translators of Loop, If and Scan check their inputs together with the bodies.
  if (has_body(node.proto())) return;
  // The first input of each group of inputs that have one type.
  base::SmallVector<std::optional<std::size_t>, 4> firsts(types.size());
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Value input = as_tensor(node.operand(i));
    const ElementType type = input ? input.type() : ElementType::dynamic;
    if (type == ElementType::dynamic) continue;
    const InputType& accepted = at(types, i);
    const InputType::Kind kind = kind_of(type);
    if ((accepted.kinds & kind) == 0) {
      const auto newest = find_input_types(node.domain(), node.op_type(), std::numeric_limits<int>::max());
      if (newest.empty() || (at(newest, i).kinds & kind) == 0)
        throw base::Failure(DiagnosticCode::invalid_node,
                            "input " + std::to_string(i) + " has type " + type_of(node, i) + ", which " +
                                std::string(node.op_type()) + " does not accept");
    }
    if (accepted.group < 0) continue;
    std::optional<std::size_t>& first = firsts[static_cast<std::size_t>(accepted.group)];
    if (!first) {
      first = i;
      continue;
    }
    const ElementType other = node.input(*first).type();
    if (other == type) continue;
    // Mixed i32 and i64 are unambiguous: OpenVINO computes both as i32.
    const auto is_index = [](ElementType one) { return one == ElementType::i32 || one == ElementType::i64; };
    if (!is_index(other) || !is_index(type))
      throw base::Failure(
          DiagnosticCode::invalid_node,
          "inputs differ in element type: " + type_of(node, *first) + " and " + type_of(node, i));
  }
}

void refuse_unread_inputs(const NodeContext& node) {
  const auto unread = node.unread_input();
  if (!unread || find_schema(node.domain(), node.op_type(), node.opset()) != nullptr) return;
  node.fail("input " + std::to_string(*unread) + " is not converted",
            "its operator has this input since a later release of onnxruntime, or for GPUs only: export the "
            "model without it");
}

void warn_about_unread_attributes(const TranslatorRow& row, NodeContext& node) {
  if (node.proto().attribute().empty()) return;
  if (find_schema(node.domain(), node.op_type(), node.opset()) != nullptr) return;
  for (const onnx::AttributeProto* attribute : node.unread_attributes()) {
    // Names that begin with two underscores are notes of a tool.
    if (attribute->name().starts_with("__") || is_listed(*attribute, row.ignored)) continue;
    node.warn(DiagnosticCode::ignored_attribute,
              "attribute '" + attribute->name() + "' has no effect on the converted model");
  }
}

}  // namespace onnx2ir::frontend
