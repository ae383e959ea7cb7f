// A state whose next value is its present value never changes: it becomes an invariant, and its final value
// is replaced by the initial value. (Exporters pass weights and conditions through loops this way.)
#include "passes/analysis/foldable.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {

bool make_unchanged_states_invariant(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    for (const ir::Carried& state : loop.states()) {
      if (state.output && is_unchanged(state)) ir::replace_all_uses(loop.output(state), loop.outer(state));
    }
    return loop.make_invariant(is_unchanged);
  });
}

}  // namespace onnx2ir::passes
