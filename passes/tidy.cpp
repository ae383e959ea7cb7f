#include "passes/tidy.hpp"

#include "base/failure.hpp"
#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"

namespace onnx2ir::passes {

void remove_dead_nodes(ir::Model& model) {
  for (ir::Graph* graph : graphs_of(model)) graph->remove_dead_nodes();
}

void tidy(ir::Model& model) {
  for (ir::Graph* graph : graphs_of(model)) graph->sort();
  remove_dead_nodes(model);
  const auto problem = base::problem_of(DiagnosticCode::invalid_node, [&] { ir::infer_stale(model.graph); });
  if (problem)
    throw base::Failure(DiagnosticCode::invalid_model, "the model contradicts itself: " + problem->message,
                        "check the shapes that the model declares, and the sizes of its constants");
}

}  // namespace onnx2ir::passes
