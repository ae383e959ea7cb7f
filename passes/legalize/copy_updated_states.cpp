// Copies states in whose memory the next value of another state may be computed. The CPU plugin assigns back
// edges one after the other (sequential_back_edges): the state may have got its own next value before that of
// the other state is read. A state that is passed on unchanged is copied by copy_passed_through_states.
#include "passes/analysis/shared_memory.hpp"
#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {

bool copy_updated_states(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    if (!loop.may_repeat()) return false;
    NextValues next_values;
    for (const ir::Carried& state : loop.states()) next_values.insert(state.result);
    return edit_each(loop.states(), [&](const ir::Carried& state) {
      const auto updates = [&](const ir::Use& use) { return leads_to_other_state(use, next_values, state); };
      return copy_for_uses(*state.parameter, updates);
    });
  });
}

}  // namespace onnx2ir::passes
