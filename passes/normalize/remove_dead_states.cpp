// Removes unused states and scan outputs with their back edges, unused outputs of Ifs, and unused captures.
// (The runtime removes unused outputs of an If, too. A state that only such an output uses counts as never
// read by the body.)
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/small_vector.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// In `scratch` of a live node. That of other nodes is 0; that of the Parameter of state i is i + 1.
constexpr std::int64_t kLive = -1;

/// Marks the live nodes of the body: those that the condition and the outputs depend on, directly or through
/// states.
void mark_live(const ir::LoopBody& loop) {
  for (const auto& inner : loop.graph->nodes()) inner->scratch = 0;
  base::SmallVector<ir::Node*, 32> work{loop.condition};
  for (std::size_t i = 0; i < loop.carried.size(); ++i) {
    loop.carried[i].parameter->scratch = static_cast<std::int64_t>(i + 1);
    if (loop.carried[i].output) work.push_back(loop.carried[i].result);
  }
  for (const ir::Scan& scan : loop.scans) work.push_back(scan.result);
  for (const ir::LastValue& last : loop.last_values) work.push_back(last.result);
  while (!work.empty()) {
    ir::Node* const next = work.back();
    work.pop_back();
    if (next->scratch == kLive) continue;
    if (next->scratch > 0) work.push_back(loop.carried[static_cast<std::size_t>(next->scratch - 1)].result);
    next->scratch = kLive;
    for (const ir::Value& input : next->inputs()) work.push_back(input.node);
  }
}

bool run_on(ir::LoopView loop) {
  const bool had_unused_outputs = loop.remove_unused_outputs();
  mark_live(loop.body());
  const auto is_dead = [](const ir::Carried& state) {
    return state.parameter->scratch != kLive && !state.output;
  };
  return loop.remove_states(is_dead) || had_unused_outputs;
}

bool run_on(ir::Graph& graph);

/// The node before its bodies, so that inner loops that become unused are removed too.
bool run_on(ir::Node& node) {
  bool modified = node.loop() != nullptr && run_on(ir::LoopView(node));
  modified = (node.branches() != nullptr && ir::IfView(node).remove_unused_outputs()) || modified;
  for (const ir::Body* body : ir::bodies(node)) modified = run_on(*body->graph) || modified;
  return ir::remove_unused_captures(node) || modified;
}

using Nodes = base::SmallVector<ir::Node*, 8>;

/// Removes the inputs of those `nodes` that are unused, and of nodes that become unused thereby. The nodes
/// themselves stay: removing them from the graph is linear in its size.
void release_unused(Nodes nodes) {
  while (!nodes.empty()) {
    ir::Node& node = *nodes.back();
    nodes.pop_back();
    if (!is_unused(node)) continue;
    for (const ir::Value& input : node.inputs()) nodes.push_back(input.node);
    node.remove_inputs();
  }
}

/// Last node first: when a node loses inputs, outputs of the nodes before it become unused.
bool run_on(ir::Graph& graph) {
  bool modified = false;
  const std::vector<ir::Node*>& nodes = graph.control_flow();
  for (std::size_t left = nodes.size(); left > 0;) {
    ir::Node& node = *nodes[--left];
    if (is_unused(node)) continue;
    Nodes producers;
    for (const ir::Value& input : node.inputs()) producers.push_back(input.node);
    if (!run_on(node)) continue;
    release_unused(std::move(producers));
    modified = true;
  }
  if (modified) graph.remove_dead_nodes();
  return modified;
}

}  // namespace

bool remove_dead_states(ir::Model& model, PassContext&) {
  return run_on(model.graph);
}

}  // namespace onnx2ir::passes
