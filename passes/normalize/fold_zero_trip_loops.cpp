// Replaces the outputs of a loop that never runs: states by their initial values, scan outputs by empty
// tensors. They may be the trip count or condition of another loop, so the pipeline folds constants and runs
// this pass again.
#include "passes/analysis/foldable.hpp"
#include "passes/passes.hpp"
#include "passes/support/final_or_initial.hpp"

namespace onnx2ir::passes {

bool fold_zero_trip_loops(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    if (!is_zero_trip_loop(loop.node())) return false;
    ir::Builder builder = ir::builder_beside(loop.node());
    for (const ir::Carried& state : loop.states()) {
      if (state.output) ir::replace_all_uses(loop.output(state), loop.outer(state));
    }
    for (const ir::Scan& scan : loop.scans())
      ir::replace_all_uses(loop.output(scan), emit_empty_scan_output(builder, scan));
    return true;
  });
}

}  // namespace onnx2ir::passes
