// Replaces values one by one: the common part of passes that match patterns.
#pragma once

#include "ir/builder.hpp"
#include "passes/graph_walk.hpp"

namespace onnx2ir::passes {

/// Calls `edit(node)` for the nodes that `graph` has now, not for those that `edit` adds. Returns whether one
/// of the calls has returned true: it has changed something.
template <typename Edit>
bool edit_present_nodes(ir::Graph& graph, Edit edit) {
  bool modified = false;
  const std::size_t count = graph.nodes().size();
  for (std::size_t i = 0; i < count; ++i) modified = edit(*graph.nodes()[i]) || modified;
  return modified;
}

/// Calls `edit(builder, node)` for every node of these operations. Nodes that `edit` emits get the node's
/// name and are not visited. Returns whether one of the calls has returned true: it has changed something.
template <typename Edit>
bool edit_nodes(ir::Model& model, const ir::OperationSet& operations, Edit edit) {
  return edit_each(graphs_of(model), [&](ir::Graph* graph) {
    if (!graph->may_hold(operations)) return false;
    ir::Builder builder(*graph);
    return edit_present_nodes(*graph, [&](ir::Node& node) {
      if (!node.is_one_of(operations)) return false;
      builder.set_name(node.name);
      return static_cast<bool>(edit(builder, node));
    });
  });
}

/// The same for nodes that have uses: `rewrite(builder, node)` returns the value that replaces the node's
/// first output, or null to keep the node.
template <typename Rewrite>
bool rewrite_values(ir::Model& model, const ir::OperationSet& operations, Rewrite rewrite) {
  return edit_nodes(model, operations, [&](ir::Builder& builder, ir::Node& node) {
    const ir::Value replacement = node.has_uses() ? rewrite(builder, node) : ir::Value{};
    if (replacement) ir::replace_all_uses(node.value(), replacement);
    return static_cast<bool>(replacement);
  });
}

}  // namespace onnx2ir::passes
