// The runtime infers the output shapes of a Loop from the body alone. If the loop runs zero times and an
// initial value does not fit that shape (a list that grows in each iteration, a state that changes its size
// in the first one), the runtime fails. Such a loop is moved into a branch of an If, whose output shapes
// admit both values.
#include <algorithm>

#include "ir/inference.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/passes.hpp"
#include "passes/support/final_or_initial.hpp"

namespace onnx2ir::passes {
namespace {

bool needs_branch(ir::LoopView loop) {
  if (loop.runs_at_least_once() || !loop.body().last_values.empty()) return false;
  return std::ranges::any_of(loop.states(), [&](const ir::Carried& state) {
    const ir::PartialShape& result = state.result->output(0).shape;
    return state.output && ir::join(result, known_shape(loop.outer(state))) != result;
  });
}

/// Input `index` of the loop inside a branch: constants are cloned, all other inputs of the loop become
/// inputs of the If, in the same order.
ir::Value emit_input(ir::Branch& branch, const ir::Node& loop, std::uint32_t index) {
  const ir::Value outside = loop.input(index);
  ir::Builder builder(*branch.graph);
  if (outside.node->constant() != nullptr) return builder.clone(*outside.node).value();
  builder.set_name(outside.node->name);
  const ir::Value parameter = builder.captured(outside);
  branch.invariants.push_back({ir::IfView::kFirstMapped + index, parameter.node});
  return parameter;
}

/// The branch with the loop, which runs at least once here.
ir::Branch make_branch_with_loop(ir::Node& node) {
  ir::Branch branch;
  branch.graph = node.graph().make_body();
  std::vector<ir::Value> inputs;
  for (std::uint32_t i = 0; i < node.inputs().size(); ++i) inputs.push_back(emit_input(branch, node, i));
  ir::Builder builder(*branch.graph);
  inputs[ir::LoopView::kCondition] = builder.boolean(true);
  node.notes.add(ir::Note::known_to_run);
  ir::Node& loop = ir::move_control_flow(builder, node, inputs);
  for (const ir::Value value : loop.values()) branch.results.push_back(&builder.result(value));
  return branch;
}

/// The branch with the loop's outputs for zero iterations.
ir::Branch make_skipping_branch(ir::Node& node) {
  ir::Branch branch;
  branch.graph = node.graph().make_body();
  ir::Builder builder(*branch.graph);
  branch.results.resize(node.outputs().size());
  for (const ir::Carried& state : node.loop()->carried) {
    if (state.output) branch.results[*state.output] = &builder.result(emit_input(branch, node, state.input));
  }
  for (const ir::Scan& scan : node.loop()->scans)
    branch.results[scan.output] = &builder.result(emit_empty_scan_output(builder, scan));
  return branch;
}

/// The caller removes `node`.
void branch_around(ir::Node& node) {
  ir::Builder builder = ir::builder_beside(node);
  const ir::Value runs = emit_first_iteration_condition(builder, ir::LoopView(node));
  ir::IfBranches branches;
  branches.else_branch = make_skipping_branch(node);
  branches.then_branch = make_branch_with_loop(node);
  ir::Node& if_node = ir::add_if(builder, runs, std::move(branches)).node();
  for (const ir::Value input : node.inputs()) if_node.add_input(input);
  ir::infer(if_node);
  ir::replace_all_uses(node, if_node.values());
  ir::remove_unmapped_inputs(if_node);
}

}  // namespace

bool branch_around_loops(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    const std::vector<ir::Node*> nodes = graph->control_flow();
    std::vector<ir::Node*> replaced;
    for (ir::Node* node : nodes) {
      if (node->loop() == nullptr) continue;
      const ir::LoopView loop(*node);
      if (!is_runnable(loop) || !needs_branch(loop)) continue;
      branch_around(*node);
      replaced.push_back(node);
    }
    // Not left to tidy(): `onnx2ir lint` reads the model before it, and cannot read nodes without bodies.
    graph->remove(replaced);
    modified = modified || !replaced.empty();
  }
  return modified;
}

}  // namespace onnx2ir::passes
