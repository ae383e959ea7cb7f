// Where the next value of a state is directly another Parameter of the body, an Identity goes between. The
// CPU runtime assigns back edges one after the other: a state that hands its value on may have been
// overwritten by then. Identity survives compilation, other copies do not (measured on 2026.4).
#include "ir/builder.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {

bool copy_passed_through_states(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Node* node : loops_of(model)) {
    ir::Builder builder(*node->loop()->graph);
    for (const ir::Carried& state : node->loop()->carried) {
      const ir::Value next = state.result->input(0);
      if (!next.node->is("Parameter") || next.node == state.parameter) continue;
      builder.set_name(next.node->name);
      // Without a trip count the runtime cannot compile an Identity of the iteration number.
      const bool is_iteration = next.node == node->loop()->iteration;
      const ir::Value copy =
          is_iteration ? builder.op("Maximum", {next, builder.integer(0)}) : builder.op("Identity", {next});
      state.result->set_input(0, copy);
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
