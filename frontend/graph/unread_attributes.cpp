#include "frontend/graph/unread_attributes.hpp"

#include <algorithm>

#include "base/parse_number.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/schemas.hpp"

namespace onnx2ir::frontend {
namespace {

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
