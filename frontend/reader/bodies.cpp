#include "frontend/reader/bodies.hpp"

#include <algorithm>

namespace onnx2ir::frontend {

const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, std::string_view name) {
  const auto found = std::ranges::find(node.attribute(), name, &onnx::AttributeProto::name);
  return found == node.attribute().end() ? nullptr : &*found;
}

bool has_body(const onnx::NodeProto& node) {
  return std::ranges::any_of(node.attribute(), &onnx::AttributeProto::has_g);
}

bool reads(const onnx::GraphProto& graph, const std::string& name) {
  return std::ranges::find(graph.output(), name, &onnx::ValueInfoProto::name) != graph.output().end() ||
         std::ranges::any_of(graph.node(), [&](const onnx::NodeProto& node) {
           return std::ranges::find(node.input(), name) != node.input().end() || body_reads(node, name);
         });
}

bool body_reads(const onnx::NodeProto& node, const std::string& name) {
  bool found = false;
  for_each_body(node, [&](const onnx::GraphProto& body) { found = found || reads(body, name); });
  return found;
}

}  // namespace onnx2ir::frontend
