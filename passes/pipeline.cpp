#include "passes/pipeline.hpp"

#include <array>
#include <chrono>

#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::array kPipeline = {
    Pass{"fold_constants", "integers known at conversion time become constants", fold_constants},
    Pass{"remove_no_ops", "operations that change nothing go", remove_no_ops},
};

/// Removes what nobody reads, in bodies first: a body may be the last reader of an outer value.
void remove_dead_nodes(ir::Model& model) {
  for (ir::Graph* graph : graphs_of(model)) graph->remove_dead_nodes();
}

void tidy(ir::Model& model) {
  for (ir::Graph* graph : graphs_of(model)) graph->sort();
  remove_dead_nodes(model);
  ir::infer(model.graph);
}

}  // namespace

std::span<const Pass> pipeline() {
  return kPipeline;
}

void run_pipeline(ir::Model& model, PassContext& context) {
  remove_dead_nodes(model);
  for (const Pass& pass : kPipeline) {
    const auto start = std::chrono::steady_clock::now();
    const bool modified = pass.run(model, context);
    if (modified) tidy(model);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (context.finished) context.finished(pass.name, taken.count(), modified);
    if (context.inspect) context.inspect(pass.name, model);
    if (pass.name == context.stop_after) break;
  }
}

}  // namespace onnx2ir::passes
