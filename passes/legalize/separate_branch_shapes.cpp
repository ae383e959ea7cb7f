// Gives the results of an If's branches shapes that never are equal: [1, ...] in one branch and [2, ...], the
// value twice, in the other. Behind the If, Gather takes the first. Releases up to 2025.4 copy a branch's
// result with the size it had when it last changed the shape of the output (branch_output_size): if the other
// branch has set that shape, too few elements are copied, or none. With different shapes each change of the
// branch is noticed.
#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool can_be_equal(const ir::PartialShape& a, const ir::PartialShape& b) {
  if (a.rank() != b.rank()) return a.rank() <= 1 && b.rank() <= 1;
  return ir::intersect(a, b).has_value();
}

/// Whether the output is copied with a size that the runtime may not update.
bool is_endangered(const ir::Output& then_result, const ir::Output& else_result) {
  const ir::PartialShape& a = then_result.shape;
  const ir::PartialShape& b = else_result.shape;
  if (!a.has_rank() || !b.has_rank() || then_result.type == ir::ElementType::string) return false;
  return !(a.is_static() && b.is_static()) && can_be_equal(a, b);
}

/// Stacks `copies` of the value of `result`, of at least rank `rank`, along a new first axis.
void stack(ir::Branch& branch, ir::Node& result, std::size_t copies, std::size_t rank) {
  ir::Builder builder(*branch.graph);
  builder.set_name(result.input(0).node->name);
  ir::Value value = result.input(0);
  for (std::size_t r = value.shape().rank(); r <= rank; ++r)
    value = builder.op("Unsqueeze", {value, builder.integers({0})});
  if (copies > 1) value = builder.op("Concat", std::vector<ir::Value>(copies, value), {{"axis", 0}});
  result.set_input(0, value);
  ir::infer(result);
}

bool run_on(ir::Node& node) {
  ir::IfBranches& branches = *node.branches();
  bool modified = false;
  for (std::uint32_t i = 0; i < node.outputs().size(); ++i) {
    ir::Node& then_result = *branches.then_branch.results[i];
    ir::Node& else_result = *branches.else_branch.results[i];
    if (node.output(i).uses.empty() || !is_endangered(then_result.output(0), else_result.output(0))) continue;
    const std::size_t rank = std::max(then_result.output(0).shape.rank(), else_result.output(0).shape.rank());
    stack(branches.then_branch, then_result, 1, rank);
    stack(branches.else_branch, else_result, 2, rank);
    ir::infer(node);
    ir::Builder builder(node.graph());
    builder.set_name(node.name);
    builder.set_origin(node.origin);
    ir::Output& output = node.output(i);
    const auto readers = output.uses;
    const ir::Value first =
        builder.op("Gather", {node.value(i), builder.integer(0), builder.integer(0)}, {{"batch_dims", 0}});
    for (const ir::Use& use : readers) use.node->set_input(use.index, first);
    auto& names = first.node->output(0).names;
    names.append(output.names.begin(), output.names.end());
    output.names.clear();
    modified = true;
  }
  return modified;
}

}  // namespace

bool separate_branch_shapes(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    const std::vector<ir::Node*> nodes = graph->control_flow();
    for (ir::Node* node : nodes) {
      if (node->branches() != nullptr) modified = run_on(*node) || modified;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
