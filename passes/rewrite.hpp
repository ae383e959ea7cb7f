// Replaces values one by one: what passes that look for a pattern have in common.
#pragma once

#include "ir/builder.hpp"
#include "passes/graph_walk.hpp"

namespace onnx2ir::passes {

/// Offers every node of these operations whose outputs are read to `rewrite(builder, node)`, which gives the
/// value that takes the place of the node's first output, or null to leave it. What `rewrite` emits has the
/// node's name and is not offered itself. Returns whether anything was replaced.
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
