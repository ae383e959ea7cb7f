// If the next value of a state is directly another Parameter of the body, copies it. The CPU plugin assigns
// back edges one after the other (sequential_back_edges): the state may have been overwritten by then.
#include "passes/analysis/foldable.hpp"
#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {

bool copy_passed_through_states(ir::Model& model, PassContext&) {
  bool modified = false;
  for (const ir::LoopView loop : loops_of(model)) {
    ir::Builder builder(loop.graph());
    for (const ir::Carried& state : loop.states()) {
      if (!is_passed_through(state)) continue;
      const ir::Value next = state.result->input(0);
      builder.set_name(next.node->name);
      state.result->set_input(0, copy_opaquely(builder, next));
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
