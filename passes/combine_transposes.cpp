// A Transpose of a Transpose is one Transpose. (When it changes nothing, remove_no_ops takes it away.)
#include "ir/builder.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {

bool combine_transposes(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    ir::Builder builder(*graph);
    const std::size_t count = graph->nodes().size();
    for (std::size_t i = 0; i < count; ++i) {
      ir::Node& outer = *graph->nodes()[i];
      if (!outer.is("Transpose") || !outer.input(0).node->is("Transpose")) continue;
      const ir::Node& inner = *outer.input(0).node;
      const auto first = ir::exact_values(inner.input(1));
      const auto second = ir::exact_values(outer.input(1));
      if (!first || !second || first->empty() || first->size() != second->size()) continue;
      std::vector<std::int64_t> order;
      for (const std::int64_t axis : *second) order.push_back((*first)[static_cast<std::size_t>(axis)]);
      builder.set_name(outer.name);
      builder.set_origin(outer.origin);
      const ir::Value orders = builder.integers(order);
      outer.set_input(0, inner.input(0));
      outer.set_input(1, orders);
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
