#include "ir/extension.hpp"

#include <algorithm>
#include <utility>

#include "ir/views/extension.hpp"

namespace onnx2ir::ir {

std::vector<Attribute> extension_attributes(std::string type, std::vector<std::string> texts,
                                            std::span<const ExtensionOutput> outputs) {
  std::vector<std::string> types;
  std::vector<std::int64_t> ranks;
  std::vector<std::int64_t> sizes;
  for (const ExtensionOutput& output : outputs) {
    types.emplace_back(info(output.type).name);
    ranks.push_back(output.shape.has_rank() ? static_cast<std::int64_t>(output.shape.rank()) : -1);
    if (!output.shape.has_rank()) continue;
    for (const Dimension& dimension : output.shape) sizes.push_back(dimension.size());
  }
  return {{"type", std::move(type)},
          {"attributes", std::move(texts)},
          {"types", std::move(types)},
          {"ranks", std::move(ranks)},
          {"sizes", std::move(sizes)}};
}

bool is_attribute_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_other = [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_other(c); });
}

ExtensionAttribute split_extension_attribute(std::string_view text) {
  const std::size_t sign = std::min(text.find('='), text.size());
  return {text.substr(0, sign), text.substr(std::min(sign + 1, text.size()))};
}

std::string_view layer_type(const Node& node) {
  return node.is(ops::ExtensionOperation) ? std::string_view(ExtensionOperationView(node).type())
                                          : node.op().name;
}

std::string_view layer_version(const Node& node) {
  return node.is(ops::ExtensionOperation) ? ExtensionOperationView(node).opset().value_or(kExtensionOpset)
                                          : oldest_version(node);
}

void visit_layer_attributes(const Node& node, const AttributeVisitor& visit) {
  if (const auto extension = match<ExtensionOperationView>(node)) {
    for (const std::string& text : extension->attributes()) {
      const ExtensionAttribute split = split_extension_attribute(text);
      visit(split.name, split.value);
    }
    return;
  }
  for (const Attribute& attribute : node.attributes()) {
    if (!is_note(node.op(), attribute.name)) visit(attribute.name, to_string(attribute.value));
  }
}

}  // namespace onnx2ir::ir
