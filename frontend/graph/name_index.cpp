#include "frontend/graph/name_index.hpp"

#include "frontend/reader/bodies.hpp"

namespace onnx2ir::frontend {

NameIndex::NameIndex(const onnx::GraphProto& graph) {
  for (const onnx::ValueInfoProto& input : graph.input()) definitions_.emplace(input.name(), Definition{});
  for (const onnx::TensorProto& tensor : graph.initializer())
    definitions_.emplace(tensor.name(), Definition{.initializer = &tensor});
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer())
    definitions_.emplace(tensor.values().name(), Definition{});
  for (const onnx::NodeProto& node : graph.node()) {
    for (int i = 0; i < node.output_size(); ++i)
      definitions_.emplace(node.output(i), Definition{.node = &node, .output = i});
    for (int i = 0; i < node.input_size(); ++i) uses_[node.input(i)].push_back({&node, i});
    for_each_captured_name(node, [&](std::string_view name) { uses_[name].push_back({&node, kInBody}); });
  }
  for (int i = 0; i < graph.output_size(); ++i) uses_[graph.output(i).name()].push_back({nullptr, i});
  // The empty name is an absent input or output.
  definitions_.erase(std::string_view());
  uses_.erase(std::string_view());
}

const NameIndex::Definition* NameIndex::definition(std::string_view name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : &found->second;
}

std::span<const NameIndex::Use> NameIndex::uses(std::string_view name) const {
  const auto found = uses_.find(name);
  return found == uses_.end() ? std::span<const Use>() : found->second;
}

}  // namespace onnx2ir::frontend
