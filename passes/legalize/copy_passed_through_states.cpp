// If the next value of a state is directly another Parameter of the body, copies it. The CPU plugin assigns
// back edges one after the other (sequential_back_edges): the state may have been overwritten by then. If the
// Parameter is a captured value, OpenVINO does not compile the Loop (captured_next_state).
#include "passes/analysis/foldable.hpp"
#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {

bool copy_passed_through_states(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    return edit_each(loop.states(), [](const ir::Carried& state) {
      if (!is_passed_through(state)) return false;
      const ir::Value next = state.result->input(0);
      ir::Builder builder = ir::builder_beside(*next.node);
      state.result->set_input(0, copy_opaquely(builder, next));
      return true;
    });
  });
}

}  // namespace onnx2ir::passes
