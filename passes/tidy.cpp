#include "passes/tidy.hpp"

#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"

namespace onnx2ir::passes {

void remove_dead_nodes(ir::Model& model) {
  for (ir::Graph* graph : graphs_of(model)) graph->remove_dead_nodes();
}

void tidy(ir::Model& model) {
  for (ir::Graph* graph : graphs_of(model)) graph->sort();
  remove_dead_nodes(model);
  ir::infer_stale(model.graph);
}

}  // namespace onnx2ir::passes
