// Replaces an If whose condition is known at conversion time by the nodes of the branch that it takes. The
// front end does this for conditions that it knows; others become known when constants are moved into bodies,
// or when loops and other Ifs are folded.
#include "passes/analysis/foldable.hpp"
#include "passes/passes.hpp"
#include "passes/support/inline_branch.hpp"

namespace onnx2ir::passes {

bool inline_constant_branches(ir::Model& model, PassContext&) {
  // Nested Ifs come first, so that the outer branch is copied after it was simplified.
  return edit_control_flow(model, [](ir::Node& node) {
    const ir::Branch* const branch = known_branch(node);
    if (branch == nullptr) return false;
    ir::replace_all_uses(node, inline_branch(node, *branch));
    return true;
  });
}

}  // namespace onnx2ir::passes
