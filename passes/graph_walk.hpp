// Visits graphs and control-flow nodes of a model.
#pragma once

#include <vector>

#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

/// Appends `graph` to `graphs`, after the bodies of its nodes.
inline void collect_graphs(ir::Graph& graph, std::vector<ir::Graph*>& graphs) {
  for (ir::Node* node : graph.control_flow()) {
    for (ir::Body* body : ir::bodies(*node)) collect_graphs(*body->graph, graphs);
  }
  graphs.push_back(&graph);
}

/// All graphs of a model; a body comes before the graph that contains it.
inline std::vector<ir::Graph*> graphs_of(ir::Model& model) {
  std::vector<ir::Graph*> graphs;
  collect_graphs(model.graph, graphs);
  return graphs;
}

/// All Loop nodes of a model, inner ones first.
inline std::vector<ir::LoopView> loops_of(ir::Model& model) {
  std::vector<ir::LoopView> loops;
  for (ir::Graph* graph : graphs_of(model)) {
    for (ir::Node* node : graph->control_flow()) {
      if (node->loop() != nullptr) loops.emplace_back(*node);
    }
  }
  return loops;
}

}  // namespace onnx2ir::passes
