// Where the names of a graph are defined and used.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {

/// Made once for a graph, so that a question about a value does not search all nodes. Refers to the graph.
class NameIndex {
 public:
  struct Definition {
    const onnx::NodeProto* node = nullptr;  ///< null: an input or an initializer of the graph
    int output = 0;
    /// The dense initializer that defines the name; null if an input, a node or a sparse initializer defines
    /// it.
    const onnx::TensorProto* initializer = nullptr;
  };
  struct Use {
    const onnx::NodeProto* node;  ///< null: `input` is the index of an output of the graph
    int input;                    ///< kInBody: a body of the node captures the value
  };
  static constexpr int kInBody = -1;

  explicit NameIndex(const onnx::GraphProto& graph);

  /// Null if an enclosing graph defines `name`, or no graph does.
  const Definition* definition(std::string_view name) const;
  /// The node of this graph that computes `name`; null if no node of it does.
  const onnx::NodeProto* producer(std::string_view name) const {
    const Definition* const found = definition(name);
    return found == nullptr ? nullptr : found->node;
  }
  /// The uses of `name` by the nodes, in their order, and by the outputs of the graph.
  std::span<const Use> uses(std::string_view name) const;

 private:
  // Only used for look-ups, so that the order does not matter.
  std::unordered_map<std::string_view, Definition> definitions_;
  std::unordered_map<std::string_view, std::vector<Use>> uses_;
};

}  // namespace onnx2ir::frontend
