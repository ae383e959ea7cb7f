#include "passes/if_builder.hpp"

#include "ir/inference.hpp"

namespace onnx2ir::passes {
namespace {

ir::Branch written(const ir::Graph& outer, const Values& invariants, const BranchWriter& write) {
  ir::Branch branch;
  branch.graph = outer.make_body();
  ir::Builder builder(*branch.graph);
  Values inner;
  for (const ir::Value& value : invariants) inner.push_back(builder.parameter(value.type(), value.shape()));
  for (const ir::Value& output : write(builder, inner)) branch.results.push_back(&builder.result(output));
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i].node->has_uses()) {
      branch.invariants.push_back({static_cast<std::uint32_t>(i) + 1, inner[i].node});
    } else {
      branch.graph->remove(*inner[i].node);
    }
  }
  return branch;
}

}  // namespace

ir::Node& add_choice(ir::Builder& outer, ir::Value condition, const Values& invariants,
                     const BranchWriter& then_branch, const BranchWriter& else_branch) {
  Values inputs{condition};
  inputs.insert(inputs.end(), invariants.begin(), invariants.end());
  ir::IfBranches branches{written(outer.graph(), invariants, then_branch),
                          written(outer.graph(), invariants, else_branch)};
  ir::Node& choice = outer.graph().add(ir::find_op(ops::If), inputs, branches.then_branch.results.size());
  choice.set_payload(std::move(branches));
  ir::infer(choice);
  return choice;
}

}  // namespace onnx2ir::passes
