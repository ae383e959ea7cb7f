#include "passes/support/inline_branch.hpp"

#include <unordered_map>

namespace onnx2ir::passes {

ir::Values inline_branch(ir::Node& if_node, const ir::Branch& branch) {
  ir::Builder builder(if_node.graph());
  std::unordered_map<const ir::Node*, ir::Values> copies;
  const auto copy_of = [&](ir::Value inside) { return copies.at(inside.node)[inside.index]; };
  for (const ir::Invariant& invariant : branch.invariants)
    copies[invariant.parameter] = {if_node.input(invariant.input)};
  branch.graph->sort();
  for (const auto& inner : branch.graph->nodes()) {
    if (!inner->has_uses() || inner->is(ops::Parameter)) continue;
    std::vector<ir::Value> inputs;
    for (const ir::Value input : inner->inputs()) inputs.push_back(copy_of(input));
    ir::Node& outside = inner->op().traits.has_bodies ? ir::move_control_flow(builder, *inner, inputs)
                                                      : builder.clone(*inner, inputs);
    copies[inner.get()] = outside.values();
  }
  ir::Values results;
  for (const ir::Node* result : branch.results) results.push_back(copy_of(result->input(0)));
  return results;
}

}  // namespace onnx2ir::passes
