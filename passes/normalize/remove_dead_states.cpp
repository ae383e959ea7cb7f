// States and scan outputs that nobody reads go, with their back edges; so do outputs of an If and invariants
// that no body uses. (The runtime drops outputs of an If, too: a state that only such a one reads is one that
// the body never reads.)
#include <algorithm>

#include "passes/graph_walk.hpp"
#include "passes/loop_ports.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool is_read(const ir::Node& node, std::uint32_t output) {
  return !node.output(output).uses.empty();
}

/// Marks, in `scratch`, all nodes of the body that matter: what the condition and the outputs that are read
/// depend on, from one iteration to the next.
void mark_live(const ir::Node& node, const ir::LoopBody& loop) {
  for (const auto& inner : loop.graph->nodes()) inner->scratch = 0;
  std::vector<ir::Node*> work{loop.condition};
  for (const ir::Carried& state : loop.carried) {
    if (state.output && is_read(node, *state.output)) work.push_back(state.result);
  }
  for (const ir::Scan& scan : loop.scans) {
    if (is_read(node, scan.output)) work.push_back(scan.result);
  }
  for (const ir::LastValue& last : loop.last_values) work.push_back(last.result);
  while (!work.empty()) {
    ir::Node* const next = work.back();
    work.pop_back();
    if (next->scratch != 0) continue;
    next->scratch = 1;
    for (const ir::Value& input : next->inputs()) work.push_back(input.node);
    if (!next->is(ops::Parameter)) continue;
    for (const ir::Carried& state : loop.carried) {
      if (state.parameter == next) work.push_back(state.result);
    }
  }
}

bool run_on(ir::Node& node) {
  ir::LoopBody& loop = *node.loop();
  mark_live(node, loop);
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint32_t> outputs;
  std::vector<ir::Node*> results;
  std::vector<ir::Node*> parameters;
  for (ir::Carried& state : loop.carried) {
    if (state.output && !is_read(node, *state.output)) {
      outputs.push_back(*state.output);
      state.output.reset();
    }
  }
  std::erase_if(loop.carried, [&](const ir::Carried& state) {
    if (state.parameter->scratch != 0 || state.output) return false;
    inputs.push_back(state.input);
    parameters.push_back(state.parameter);
    if (state.result != loop.condition) results.push_back(state.result);
    return true;
  });
  std::erase_if(loop.scans, [&](const ir::Scan& scan) {
    if (is_read(node, scan.output)) return false;
    outputs.push_back(scan.output);
    results.push_back(scan.result);
    return true;
  });
  for (ir::Node* result : results) loop.graph->remove(*result);
  loop.graph->remove_dead_nodes();
  for (ir::Node* parameter : parameters) loop.graph->remove(*parameter);
  std::sort(outputs.rbegin(), outputs.rend());
  for (const std::uint32_t output : outputs) remove_output(node, output);
  std::sort(inputs.rbegin(), inputs.rend());
  for (const std::uint32_t input : inputs) remove_input(node, input);
  return !inputs.empty() || !outputs.empty();
}

bool remove_unread_outputs(ir::Node& choice) {
  bool modified = false;
  ir::IfBranches& branches = *choice.branches();
  for (auto output = static_cast<std::uint32_t>(choice.outputs().size()); output-- > 0;) {
    // One without any is dead altogether.
    if (is_read(choice, output) || choice.outputs().size() == 1) continue;
    ir::Node* const results[] = {branches.then_branch.results[output], branches.else_branch.results[output]};
    remove_output(choice, output);
    branches.then_branch.graph->remove(*results[0]);
    branches.else_branch.graph->remove(*results[1]);
    modified = true;
  }
  if (modified) {
    for (ir::Graph* body : ir::bodies(choice)) body->remove_dead_nodes();
  }
  return modified;
}

/// Outer loops first: what they do not need, inner ones need not compute, and goes with their bodies.
bool run_on_loops(ir::Graph& graph) {
  bool modified = false;
  for (ir::Node* node : graph.control_flow()) {
    if (node->loop() != nullptr) modified = run_on(*node) || modified;
    if (node->branches() != nullptr) modified = remove_unread_outputs(*node) || modified;
    for (ir::Graph* body : ir::bodies(*node)) modified = run_on_loops(*body) || modified;
  }
  return modified;
}

}  // namespace

bool remove_dead_states(ir::Model& model, PassContext&) {
  bool modified = run_on_loops(model.graph);
  for (ir::Graph* graph : graphs_of(model)) {
    for (ir::Node* node : graph->control_flow()) modified = remove_unused_invariants(*node) || modified;
  }
  return modified;
}

}  // namespace onnx2ir::passes
