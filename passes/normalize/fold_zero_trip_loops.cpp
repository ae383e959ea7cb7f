// Replaces the outputs of a loop that never runs: states by their initial values, scan outputs by empty
// tensors. They may be the trip count or condition of another loop, so the pipeline folds constants and runs
// this pass again.
#include <algorithm>

#include "passes/passes.hpp"
#include "passes/support/final_or_initial.hpp"

namespace onnx2ir::passes {

bool fold_zero_trip_loops(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    const auto has_rank = [](const ir::Scan& scan) { return scan.result->output(0).shape.has_rank(); };
    // Empty scan outputs can be replaced only if their shape is known.
    if (!loop.never_runs() || !loop.node().has_uses() || !loop.body().last_values.empty() ||
        !std::ranges::all_of(loop.scans(), has_rank))
      return false;
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
