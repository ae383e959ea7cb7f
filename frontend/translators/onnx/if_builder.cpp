#include "frontend/translators/onnx/if_builder.hpp"

#include "ir/inference.hpp"

namespace onnx2ir::frontend {
namespace {

ir::Branch written(const Values& invariants, const BranchWriter& write) {
  ir::Branch branch;
  branch.graph = std::make_unique<ir::Graph>();
  Builder builder(*branch.graph);
  Values inner;
  for (const Value& value : invariants) inner.push_back(builder.parameter(value.type(), value.shape()));
  for (const Value& output : write(builder, inner)) branch.results.push_back(&builder.result(output));
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

Values choose(Builder& outer, Value condition, const Values& invariants, const BranchWriter& then_branch,
              const BranchWriter& else_branch) {
  Values inputs{condition};
  inputs.insert(inputs.end(), invariants.begin(), invariants.end());
  ir::IfBranches branches{written(invariants, then_branch), written(invariants, else_branch)};
  const std::size_t count = branches.then_branch.results.size();
  ir::Node& node = outer.graph().add(ir::find_op("If"), inputs, count);
  node.set_payload(std::move(branches));
  ir::infer(node);
  Values outputs;
  for (std::size_t i = 0; i < count; ++i) outputs.push_back(node.value(static_cast<std::uint32_t>(i)));
  return outputs;
}

}  // namespace onnx2ir::frontend
