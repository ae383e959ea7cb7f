// Constants that a body takes from outside are cloned into it: there they can be folded, and the runtime sees
// them.
#include "ir/builder.hpp"
#include "passes/graph_walk.hpp"
#include "passes/loop_ports.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool clone_constants(const ir::Node& node, ir::Graph& body, const std::vector<ir::Invariant>& invariants) {
  bool modified = false;
  ir::Builder builder(body);
  for (const ir::Invariant& invariant : invariants) {
    const ir::Value outer = node.input(invariant.input);
    if (outer.node->constant() == nullptr || !invariant.parameter->has_uses()) continue;
    builder.set_name(outer.node->name);
    ir::replace_all_uses(invariant.parameter->value(), builder.copy_of(*outer.node));
    modified = true;
  }
  return modified;
}

}  // namespace

bool move_constants_into_bodies(ir::Model& model, PassContext&) {
  bool modified = false;
  auto graphs = graphs_of(model);
  // Outer bodies first: a constant may move through several.
  for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph) {
    for (ir::Node* node : (*graph)->control_flow()) {
      if (ir::LoopBody* loop = node->loop()) {
        modified = clone_constants(*node, *loop->graph, loop->invariants) || modified;
      } else if (ir::IfBranches* branches = node->branches()) {
        for (ir::Branch* branch : {&branches->then_branch, &branches->else_branch}) {
          modified = clone_constants(*node, *branch->graph, branch->invariants) || modified;
        }
      }
      modified = remove_unused_invariants(*node) || modified;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
