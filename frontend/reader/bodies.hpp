// The attributes of nodes and the graphs in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {

/// The attribute `name` of `node`; null if the node does not have it.
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, std::string_view name);

/// Whether an attribute of `node` is a graph.
bool has_body(const onnx::NodeProto& node);

/// Calls `visit` with each graph in `attribute`.
template <typename Visit>
void for_each_body(const onnx::AttributeProto& attribute, Visit visit) {
  if (attribute.has_g()) visit(attribute.g());
  for (const onnx::GraphProto& graph : attribute.graphs()) visit(graph);
}
/// The same for all attributes of `node`.
template <typename Visit>
void for_each_body(const onnx::NodeProto& node, Visit visit) {
  for (const onnx::AttributeProto& attribute : node.attribute()) for_each_body(attribute, visit);
}

/// The tensor that has the name and the elements of an initializer.
inline const onnx::TensorProto& values_of(const onnx::TensorProto& tensor) {
  return tensor;
}
inline const onnx::TensorProto& values_of(const onnx::SparseTensorProto& tensor) {
  return tensor.values();
}
/// Calls `visit` with each initializer of `graph`, a TensorProto or a SparseTensorProto.
template <typename Visit>
void for_each_initializer(const onnx::GraphProto& graph, Visit visit) {
  for (const onnx::TensorProto& tensor : graph.initializer()) visit(tensor);
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) visit(tensor);
}

/// The names that `graph` and its bodies use but do not define; each once, in order of first use.
std::vector<std::string_view> captured_names(const onnx::GraphProto& graph);

/// Calls `visit` with each name that a body of `node` captures.
template <typename Visit>
void for_each_captured_name(const onnx::NodeProto& node, Visit visit) {
  for_each_body(node, [&](const onnx::GraphProto& body) {
    for (const std::string_view name : captured_names(body)) visit(name);
  });
}

/// Calls `visit` with each name that the node uses: its inputs, and the names that its bodies capture.
template <typename Visit>
void for_each_used_name(const onnx::NodeProto& node, Visit visit) {
  for (const std::string& input : node.input()) {
    if (!input.empty()) visit(std::string_view(input));
  }
  for_each_captured_name(node, visit);
}

}  // namespace onnx2ir::frontend
