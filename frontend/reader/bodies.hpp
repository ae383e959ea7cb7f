// The attributes of nodes and the graphs in them.
#pragma once

#include <string>
#include <string_view>

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

/// Whether `graph`, or a body in it, may use the value `name` of an enclosing graph.
bool reads(const onnx::GraphProto& graph, const std::string& name);
/// Whether a body of `node` may.
bool body_reads(const onnx::NodeProto& node, const std::string& name);

/// Calls `visit` with the name of each initializer of `graph`.
template <typename Visit>
void for_each_initializer_name(const onnx::GraphProto& graph, Visit visit) {
  for (const onnx::TensorProto& tensor : graph.initializer()) visit(tensor.name());
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) visit(tensor.values().name());
}

}  // namespace onnx2ir::frontend
