// Copies values that are the same in all iterations of a loop if the body may update them. The CPU plugin
// computes some operations in place (updated_invariants): later iterations would read what earlier ones have
// written into a captured value, or into a state that never changes. tests/faults/loops.py lists the cases.
#include "passes/analysis/foldable.hpp"
#include "passes/analysis/shared_memory.hpp"
#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {

bool copy_updated_invariants(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    if (!loop.may_repeat()) return false;
    const auto copy = [](const auto& port) { return copy_for_uses(*port.parameter, leads_to_update); };
    const auto copy_unchanged = [&](const ir::Carried& state) { return is_unchanged(state) && copy(state); };
    const bool modified = edit_each(loop.body().invariants, copy);
    return edit_each(loop.states(), copy_unchanged) || modified;
  });
}

}  // namespace onnx2ir::passes
