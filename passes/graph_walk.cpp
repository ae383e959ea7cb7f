#include "passes/graph_walk.hpp"

#include <algorithm>

namespace onnx2ir::passes {

std::vector<ir::Graph*> graphs_of(ir::Model& model) {
  return model.graph.with_bodies();
}

std::vector<ir::Node*> nodes_of(ir::Model& model, const ir::OperationSet& operations) {
  std::vector<ir::Node*> found;
  for (const ir::Graph* graph : graphs_of(model)) {
    if (!graph->may_hold(operations)) continue;
    for (const auto& node : graph->nodes()) {
      if (node->is_one_of(operations)) found.push_back(node.get());
    }
  }
  return found;
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

bool is_runnable(ir::LoopView loop) {
  const auto has_rank = [](const ir::Output& output) { return output.shape.has_rank(); };
  const auto results_have_rank = [&](const auto& ports) {
    return std::ranges::all_of(ports, [&](const auto& port) { return has_rank(port.result->output(0)); });
  };
  const auto parameters_have_rank = [&](const auto& ports) {
    return std::ranges::all_of(ports, [&](const auto& port) { return has_rank(port.parameter->output(0)); });
  };
  return std::ranges::all_of(loop.node().outputs(), has_rank) && results_have_rank(loop.states()) &&
         results_have_rank(loop.scans()) && parameters_have_rank(loop.states()) &&
         parameters_have_rank(loop.body().sliced);
}

std::vector<ir::LoopView> runnable_loops_of(ir::Model& model) {
  std::vector<ir::LoopView> loops = loops_of(model);
  std::erase_if(loops, [](ir::LoopView loop) { return !is_runnable(loop); });
  return loops;
}

void CapturedValues::add(const ir::Node& node, const ir::Body& body) {
  for (const ir::Invariant& invariant : body.invariants)
    outer_.emplace(invariant.parameter, node.input(invariant.input));
}

ir::Value CapturedValues::of(ir::Value value) const {
  const auto found = outer_.find(value.node);
  return found == outer_.end() ? ir::Value{} : found->second;
}

}  // namespace onnx2ir::passes
