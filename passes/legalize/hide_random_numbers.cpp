// Workaround for folded_random_numbers: OpenVINO evaluates RandomUniform at compile time if its inputs are
// constant and the numbers are subtracted or become indices, or if a Loop has no other inputs. Here the lower
// bound depends on a value that is known only at run time. The shape of the numbers stays static.
#include "ir/views/random.hpp"
#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

bool can_be_evaluated(ir::RandomUniformView random) {
  const auto is_constant = [](ir::Value value) { return value.node->constant() != nullptr; };
  return random.node().has_uses() && !random.node().notes.contains(ir::Note::may_be_folded) &&
         is_constant(random.low()) && is_constant(random.high()) && ir::exact_values(random.shape()) &&
         random.output(0).shape.element_count() != 0;
}

bool hide(ir::Graph& graph, OpaqueTrue& truth) {
  return edit_present_nodes(graph, [&](ir::Node& node) {
    bool modified = false;
    for (ir::Body* body : ir::bodies(node)) {
      OpaqueTrue inner(truth, node, *body);
      if (hide(*body->graph, inner)) modified = true;
    }
    const auto random = ir::match<ir::RandomUniformView>(node);
    if (!random || !can_be_evaluated(*random)) return modified;
    ir::Builder builder = ir::builder_beside(node);
    node.set_input(ir::RandomUniformView::Input::low,
                   builder.op(ops::Select, {truth.get(), random->low(), random->high()}));
    return true;
  });
}

}  // namespace

bool hide_random_numbers(ir::Model& model, PassContext&) {
  OpaqueTrue truth(model.graph);
  return hide(model.graph, truth);
}

}  // namespace onnx2ir::passes
