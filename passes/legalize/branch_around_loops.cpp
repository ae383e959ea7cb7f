// A loop that may not run at all, and whose initial values could not be results of its body (a list that
// each iteration makes longer, a state of one size after the first iteration): the runtime takes the shapes
// of the outputs from the body alone and fails on the initial values. Such a loop goes into a branch of an
// If, whose outputs admit both.
#include <algorithm>
#include <ranges>

#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/loop_ports.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool needs_branch(const ir::Node& node) {
  const ir::LoopBody& loop = *node.loop();
  if (ir::runs_at_least_once(node) || !loop.last_values.empty()) return false;
  return std::ranges::any_of(loop.carried, [&](const ir::Carried& state) {
    const ir::PartialShape& result = state.result->output(0).shape;
    return state.output && ir::join(result, node.input(state.input).shape()) != result;
  });
}

/// The inputs of the loop inside a branch: constants as they are, all else as inputs of the If.
class BranchInputs {
 public:
  BranchInputs(ir::Node& loop, ir::Branch& branch) : loop_(loop), branch_(branch) {
    branch.graph = loop.graph().make_body();
  }

  ir::Value operator[](std::uint32_t index) {
    const ir::Value outside = loop_.input(index);
    ir::Builder builder(*branch_.graph);
    builder.set_name(outside.node->name);
    if (outside.node->constant() != nullptr) return builder.copy_of(*outside.node);
    const ir::Value parameter = builder.parameter(outside.type(), outside.shape());
    // Input 0 of the If is its condition; the loop's inputs follow.
    branch_.invariants.push_back({index + 1, parameter.node});
    return parameter;
  }

 private:
  ir::Node& loop_;
  ir::Branch& branch_;
};

/// The loop as it is, with a trip count that says it runs.
ir::Branch running_branch(ir::Node& node) {
  ir::Branch branch;
  BranchInputs outside(node, branch);
  std::vector<ir::Value> inputs;
  for (std::uint32_t i = 0; i < node.inputs().size(); ++i) inputs.push_back(outside[i]);
  ir::Builder builder(*branch.graph);
  if (!ir::known_scalar(inputs[0]))
    inputs[0] = builder.op(ops::Maximum, {inputs[0], builder.integer(1, inputs[0].type())});
  inputs[1] = builder.boolean(true);
  ir::Node& loop = branch.graph->add(node.op(), inputs, node.outputs().size());
  loop.name = node.name;
  loop.set_payload(node.take_payload());
  ir::infer(loop);
  for (std::uint32_t i = 0; i < loop.outputs().size(); ++i) {
    branch.results.push_back(&builder.result(loop.value(i)));
  }
  return branch;
}

/// What the loop's outputs are when it does not run.
ir::Branch skipping_branch(ir::Node& node) {
  ir::Branch branch;
  BranchInputs outside(node, branch);
  ir::Builder builder(*branch.graph);
  branch.results.resize(node.outputs().size());
  for (const ir::Carried& state : node.loop()->carried) {
    if (state.output) branch.results[*state.output] = &builder.result(outside[state.input]);
  }
  for (const ir::Scan& scan : node.loop()->scans) {
    branch.results[scan.output] = &builder.result(no_rows(builder, scan));
  }
  return branch;
}

void remove_unread_inputs(ir::Node& choice) {
  const ir::IfBranches& branches = *choice.branches();
  const auto is_read = [](const ir::Branch& branch, std::uint32_t input) {
    return std::ranges::find(branch.invariants, input, &ir::Invariant::input) != branch.invariants.end();
  };
  for (auto input = static_cast<std::uint32_t>(choice.inputs().size() - 1); input > 0; --input) {
    if (!is_read(branches.then_branch, input) && !is_read(branches.else_branch, input))
      remove_input(choice, input);
  }
}

void branch_around(ir::Node& node) {
  ir::Builder builder(node.graph());
  builder.set_name(node.name);
  std::vector<ir::Value> inputs{whether_it_runs(builder, node)};
  inputs.insert(inputs.end(), node.inputs().begin(), node.inputs().end());
  ir::Node& choice = node.graph().add(ir::find_op(ops::If), inputs, node.outputs().size());
  choice.name = node.name;
  ir::IfBranches branches;
  branches.else_branch = skipping_branch(node);
  branches.then_branch = running_branch(node);
  choice.set_payload(std::move(branches));
  ir::infer(choice);
  for (std::uint32_t i = 0; i < node.outputs().size(); ++i) {
    ir::replace_all_uses(node.value(i), choice.value(i));
  }
  node.graph().remove(node);
  remove_unread_inputs(choice);
}

}  // namespace

bool branch_around_loops(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Node* loop : loops_of(model)) {
    if (!needs_branch(*loop)) continue;
    branch_around(*loop);
    modified = true;
  }
  return modified;
}

}  // namespace onnx2ir::passes
