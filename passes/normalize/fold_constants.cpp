// Nodes whose outputs are small tensors that inference knows wholly become constants, and so do tensors
// without elements: the runtime dies of some operations on them (Gather, pooling).
#include <algorithm>

#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "ir/value_ranges.hpp"
#include "passes/dequantized_weights.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool may_be_known(const ir::Output& output) {
  const auto is_zero = [](const ir::Dimension& size) { return size == 0; };
  return output.known != nullptr ||
         (std::ranges::any_of(output.shape, is_zero) && output.shape.element_count() == 0);
}

bool can_fold(const ir::Node& node) {
  if (std::ranges::none_of(node.outputs(), may_be_known)) return false;
  return node.constant() == nullptr && !node.is(ops::Parameter) && !node.is(ops::Result) &&
         !node.op().traits.is_volatile && !widens_zero_point(node);
}

std::optional<ir::ConstantData> elements(ir::Value value) {
  // A constant of strings has a header even where there are none.
  if (value.type() == ir::ElementType::string) return std::nullopt;
  if (value.shape().element_count() == 0) return ir::ConstantData();
  if (ir::is_floating(value.type())) {
    const auto numbers = ir::exact_numbers(value);
    if (!numbers) return std::nullopt;
    return ir::encode_numbers(*numbers, value.type());
  }
  const auto integers = ir::exact_values(value);
  if (!integers) return std::nullopt;
  return ir::encode_integers(*integers, value.type());
}

bool fold(ir::Graph& graph) {
  bool modified = false;
  ir::Builder builder(graph);
  // New constants are appended while this runs: only the nodes there are now are looked at.
  const std::size_t count = graph.nodes().size();
  for (std::size_t i = 0; i < count; ++i) {
    ir::Node& node = *graph.nodes()[i];
    if (!can_fold(node)) continue;
    for (std::size_t index = 0; index < node.outputs().size(); ++index) {
      const ir::Value value = node.value(index);
      if (node.output(index).uses.empty() || !may_be_known(node.output(index))) continue;
      const auto sizes = value.shape().sizes();
      const auto data = elements(value);
      if (!data || !sizes) continue;
      builder.set_name(node.name);
      ir::replace_all_uses(value, builder.constant(value.type(), *sizes, *data));
      modified = true;
    }
  }
  return modified;
}

bool fold_all(ir::Model& model) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) modified = fold(*graph) || modified;
  return modified;
}

}  // namespace

bool fold_constants(ir::Model& model, PassContext& context) {
  bool modified = false;
  // A new constant enters the bodies that capture it, where more may be known then.
  while (fold_all(model)) {
    modified = true;
    if (!move_constants_into_bodies(model, context)) break;
    for (ir::Graph* graph : graphs_of(model)) graph->sort();
    ir::infer(model.graph);
  }
  return modified;
}

}  // namespace onnx2ir::passes
