// A loop that never runs gives its initial values, and scan outputs without rows.
#include <algorithm>

#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/loop_ports.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool never_runs(const ir::Node& loop) {
  const auto trip_count = ir::known_scalar(loop.input(0));
  const auto condition = ir::known_scalar(loop.input(1));
  return (trip_count && *trip_count == 0) || (condition && *condition == 0);
}

/// Scan outputs without rows need a shape to have them in.
bool rows_have_ranks(const ir::LoopBody& loop) {
  return std::ranges::all_of(loop.scans,
                             [](const ir::Scan& scan) { return scan.result->output(0).shape.has_rank(); });
}

void fold(ir::Node& node) {
  const ir::LoopBody& loop = *node.loop();
  ir::Builder builder(node.graph());
  builder.set_name(node.name);
  for (const ir::Carried& state : loop.carried) {
    if (state.output) ir::replace_all_uses(node.value(*state.output), node.input(state.input));
  }
  for (const ir::Scan& scan : loop.scans) {
    ir::replace_all_uses(node.value(scan.output), no_rows(builder, scan));
  }
}

bool fold_all(ir::Model& model) {
  bool modified = false;
  for (ir::Node* node : loops_of(model)) {
    if (!node->has_uses() || !never_runs(*node) || !node->loop()->last_values.empty()) continue;
    if (!rows_have_ranks(*node->loop())) continue;
    fold(*node);
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
