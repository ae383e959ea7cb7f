// Copies values that are the same in all iterations of a loop if the body may update them. The CPU plugin
// computes some operations in place (updated_invariants): later iterations would read what earlier ones have
// written into a captured value, or into a state that never changes. tests/faults/loops.py lists the cases.
#include <vector>

#include "passes/analysis/foldable.hpp"
#include "passes/analysis/shared_memory.hpp"
#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// The Parameters of the body that have the same value in all iterations.
std::vector<ir::Node*> invariant_parameters(const ir::LoopView& loop) {
  std::vector<ir::Node*> found;
  for (const ir::Invariant& invariant : loop.body().invariants) found.push_back(invariant.parameter);
  for (const ir::Carried& state : loop.states()) {
    if (is_unchanged(state)) found.push_back(state.parameter);
  }
  return found;
}

}  // namespace

bool copy_updated_invariants(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    if (!loop.may_repeat()) return false;
    return edit_each(invariant_parameters(loop),
                     [](ir::Node* parameter) { return copy_for_uses(*parameter, leads_to_update); });
  });
}

}  // namespace onnx2ir::passes
