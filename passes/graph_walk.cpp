#include "passes/graph_walk.hpp"

namespace onnx2ir::passes {

void collect_graphs(ir::Graph& graph, std::vector<ir::Graph*>& graphs) {
  for (ir::Node* node : graph.control_flow()) {
    for (ir::Body* body : ir::bodies(*node)) collect_graphs(*body->graph, graphs);
  }
  graphs.push_back(&graph);
}

std::vector<ir::Graph*> graphs_of(ir::Model& model) {
  std::vector<ir::Graph*> graphs;
  collect_graphs(model.graph, graphs);
  return graphs;
}

std::vector<ir::LoopView> loops_of(ir::Model& model) {
  std::vector<ir::LoopView> loops;
  for (ir::Graph* graph : graphs_of(model)) {
    for (ir::Node* node : graph->control_flow()) {
      if (node->loop() != nullptr) loops.emplace_back(*node);
    }
  }
  return loops;
}

}  // namespace onnx2ir::passes
