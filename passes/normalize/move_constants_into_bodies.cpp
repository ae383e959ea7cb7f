// Clones captured constants into the bodies that capture them, so that they can be folded and the CPU plugin
// sees them.
#include "passes/analysis/foldable.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool clone_constants(const ir::Node& node, const ir::Body& body) {
  ir::Builder builder(*body.graph);
  return edit_each(body.invariants, [&](const ir::Invariant& invariant) {
    if (!is_captured_constant(node, invariant)) return false;
    const ir::Node& constant = *node.input(invariant.input).node;
    ir::replace_all_uses(invariant.parameter->value(), builder.clone(constant).value());
    return true;
  });
}

}  // namespace

bool move_constants_into_bodies(ir::Model& model, PassContext&) {
  bool modified = false;
  auto graphs = graphs_of(model);
  // Outer bodies first: a constant may move through several bodies.
  for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph) {
    for (ir::Node* node : (*graph)->control_flow()) {
      for (const ir::Body* body : ir::bodies(*node)) modified = clone_constants(*node, *body) || modified;
      modified = ir::remove_unused_captures(*node) || modified;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
