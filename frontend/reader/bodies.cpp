#include "frontend/reader/bodies.hpp"

#include <algorithm>
#include <unordered_set>

namespace onnx2ir::frontend {

const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, std::string_view name) {
  const auto found = std::ranges::find(node.attribute(), name, &onnx::AttributeProto::name);
  return found == node.attribute().end() ? nullptr : &*found;
}

bool has_body(const onnx::NodeProto& node) {
  return std::ranges::any_of(node.attribute(), &onnx::AttributeProto::has_g);
}

std::vector<std::string_view> captured_names(const onnx::GraphProto& graph) {
  using NameSet = std::unordered_set<std::string_view>;
  NameSet own;
  for (const auto& input : graph.input()) own.insert(input.name());
  for_each_initializer(graph, [&](const auto& tensor) { own.insert(values_of(tensor).name()); });
  for (const auto& node : graph.node()) own.insert(node.output().begin(), node.output().end());
  std::vector<std::string_view> names;
  NameSet seen;
  const auto take = [&](std::string_view name) {
    if (!own.contains(name) && seen.insert(name).second) names.push_back(name);
  };
  for (const auto& node : graph.node()) for_each_used_name(node, take);
  for (const auto& output : graph.output()) take(output.name());
  return names;
}

}  // namespace onnx2ir::frontend
