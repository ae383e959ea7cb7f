// A loop that never runs gives its initial values, and scan outputs without rows.
#include <algorithm>

#include "ir/inference.hpp"
#include "passes/final_or_initial.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Scan outputs without rows need a shape to have them in.
bool rows_have_ranks(ir::LoopView loop) {
  return std::ranges::all_of(loop.scans(),
                             [](const ir::Scan& scan) { return scan.result->output(0).shape.has_rank(); });
}

void fold(ir::LoopView loop) {
  ir::Builder builder = ir::builder_beside(loop.node());
  for (const ir::Carried& state : loop.states()) {
    if (state.output) ir::replace_all_uses(loop.output(state), loop.outer(state));
  }
  for (const ir::Scan& scan : loop.scans()) ir::replace_all_uses(loop.output(scan), no_rows(builder, scan));
}

bool fold_all(ir::Model& model) {
  bool modified = false;
  for (const ir::LoopView loop : loops_of(model)) {
    if (!loop.node().has_uses() || !loop.never_runs() || !loop.body().last_values.empty()) continue;
    if (!rows_have_ranks(loop)) continue;
    fold(loop);
    modified = true;
  }
  return modified;
}

}  // namespace

bool fold_zero_trip_loops(ir::Model& model, PassContext& context) {
  bool modified = false;
  // What a loop gave may be the count or the condition of another.
  while (fold_all(model)) {
    modified = true;
    for (ir::Graph* graph : graphs_of(model)) {
      graph->sort();
      graph->remove_dead_nodes();
    }
    ir::infer(model.graph);
    fold_constants(model, context);
  }
  return modified;
}

}  // namespace onnx2ir::passes
