// Replaces an If whose condition is known at conversion time by the nodes of the branch that it takes. The
// front end does this for conditions that it knows; others become known when constants are moved into bodies,
// or when loops and other Ifs are folded.
#include <unordered_map>
#include <vector>

#include "ir/control_flow.hpp"
#include "passes/foldable.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Copies a branch into the graph around its If.
class Inliner {
 public:
  Inliner(ir::Node& choice, const ir::Branch& branch)
      : choice_(choice), branch_(branch), builder_(choice.graph()) {
    for (const ir::Invariant& invariant : branch.invariants)
      copies_[invariant.parameter] = {choice.input(invariant.input)};
  }

  void run() {
    branch_.graph->sort();
    for (const auto& inner : branch_.graph->nodes()) {
      if (inner->has_uses() && !inner->is(ops::Parameter)) move(*inner);
    }
    for (std::uint32_t i = 0; i < choice_.outputs().size(); ++i)
      ir::replace_all_uses(choice_.value(i), copy_of(branch_.results[i]->input(0)));
  }

 private:
  ir::Value copy_of(ir::Value inside) const { return copies_.at(inside.node)[inside.index]; }

  void move(ir::Node& inner) {
    std::vector<ir::Value> inputs;
    for (const ir::Value input : inner.inputs()) inputs.push_back(copy_of(input));
    ir::Node& outside = inner.op().traits.has_bodies ? ir::move_control_flow(builder_, inner, inputs)
                                                     : builder_.clone(inner, inputs);
    for (std::size_t i = 0; i < outside.outputs().size(); ++i) copies_[&inner].push_back(outside.value(i));
  }

  ir::Node& choice_;
  const ir::Branch& branch_;
  ir::Builder builder_;
  std::unordered_map<const ir::Node*, std::vector<ir::Value>> copies_;
};

}  // namespace

bool inline_constant_branches(ir::Model& model, PassContext&) {
  bool modified = false;
  // Nested Ifs first, so that the outer branch is copied after it was simplified.
  for (ir::Graph* graph : graphs_of(model)) {
    const std::vector<ir::Node*> nodes = graph->control_flow();
    for (ir::Node* node : nodes) {
      const ir::Branch* const branch = known_branch(*node);
      if (branch == nullptr) continue;
      Inliner(*node, *branch).run();
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
