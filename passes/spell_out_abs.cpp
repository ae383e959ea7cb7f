// The CPU runtime computes the Abs of a concatenated vector in place, even when others read the vector: they
// read the absolute values then (measured on 2026.4; tensors of other ranks and other operations are safe).
#include "ir/builder.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool is_shared_concatenation(ir::Value value) {
  if (!value.shape().has_rank() || value.shape().rank() != 1) return false;
  bool is_shared = false;
  while (true) {
    is_shared = is_shared || value.node->output(value.index).uses.size() > 1;
    if (!value.node->is("Identity")) break;
    value = value.node->input(0);
  }
  return is_shared && value.node->is("Concat");
}

}  // namespace

bool spell_out_abs(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    ir::Builder builder(*graph);
    const std::size_t count = graph->nodes().size();
    for (std::size_t i = 0; i < count; ++i) {
      ir::Node& node = *graph->nodes()[i];
      if (!node.is("Abs") || !is_shared_concatenation(node.input(0))) continue;
      builder.set_name(node.name);
      const ir::Value value = node.input(0);
      const ir::Value negative = builder.op("Multiply", {value, builder.number_like(-1, value)});
      ir::replace_all_uses(node.value(), builder.op("Maximum", {value, negative}));
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
