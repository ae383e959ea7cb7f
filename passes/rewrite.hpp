// Replaces values one by one: the common part of passes that match patterns.
#pragma once

#include "ir/builder.hpp"
#include "passes/graph_walk.hpp"

namespace onnx2ir::passes {

/// Calls `rewrite(builder, node)` for every node of these operations that has uses. It returns the value that
/// replaces the node's first output, or null to keep the node. Nodes that `rewrite` emits get the node's name
/// and are not visited. Returns whether anything was replaced.
template <typename Rewrite>
bool rewrite_values(ir::Model& model, const ir::OperationSet& operations, Rewrite rewrite) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    if (!graph->may_hold(operations)) continue;
    ir::Builder builder(*graph);
    const std::size_t count = graph->nodes().size();
    for (std::size_t i = 0; i < count; ++i) {
      ir::Node& node = *graph->nodes()[i];
      if (!node.is_one_of(operations) || !node.has_uses()) continue;
      builder.set_name(node.name);
      const ir::Value replacement = rewrite(builder, node);
      if (!replacement) continue;
      ir::replace_all_uses(node.value(), replacement);
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
