// Workaround for dynamic_constant_shapes: the CPU plugin cannot compile an operation on constants whose
// output has a dynamic shape. OpenVINO's constant folding removes most of them, but it does not compute all
// operations: the size of a Range may be the result of a GatherND or an IsNaN. The inputs of such an
// operation are made to depend on a number that is known only at run time.
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/control_flow.hpp"
#include "ir/shape_tools.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"
#include "passes/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// The meaning of `scratch` of a node: whether it is computed from constants only.
enum Source : std::int64_t { constants, run_time };

bool is_constant(ir::Value value) {
  return value.node->scratch == constants;
}

bool is_computed_from_constants(const ir::Node& node) {
  return !node.is(ops::Parameter) && !node.op().traits.is_volatile &&
         std::ranges::all_of(node.inputs(), is_constant);
}

bool has_dynamic_shape(const ir::Node& node) {
  return std::ranges::any_of(
      node.outputs(), [](const ir::Output& output) { return !output.uses.empty() && !output.shape.sizes(); });
}

bool can_be_selected(ir::ElementType type) {
  switch (type) {
    case ir::ElementType::boolean:
    case ir::ElementType::bf16:
    case ir::ElementType::f16:
    case ir::ElementType::f32:
    case ir::ElementType::f64:
      return true;
    default:
      return ir::is_integral(type) && ir::info(type).bits >= 8;
  }
}

bool is_literal(ir::Value value) {
  return value.node->constant() != nullptr;
}

/// The inputs that are made dynamic: all computed ones, because OpenVINO may decompose the operation into one
/// that reads only some of them. If there is none, the first one, which has the data; of a Loop the last one,
/// because a trip count would become one that may be 0.
std::vector<std::size_t> inputs_to_hide(const ir::Node& node) {
  std::vector<std::size_t> computed;
  std::optional<std::size_t> literal;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const ir::Value input = node.input(i);
    if (!can_be_selected(input.type())) continue;
    if (!is_literal(input))
      computed.push_back(i);
    else if (!literal || node.loop() != nullptr)
      literal = i;
  }
  if (computed.empty() && literal) computed.push_back(*literal);
  return computed;
}

void hide(ir::Node& node, const std::vector<std::size_t>& inputs) {
  ir::Builder builder = ir::builder_beside(node);
  const ir::Value truth = run_time_truth(builder);
  for (const std::size_t i : inputs) {
    const ir::Value value = node.input(i);
    node.set_input(i, builder.op(ops::Select, {truth, value, builder.number(0, value.type())}));
  }
  node.scratch = run_time;
}

bool hide(ir::Graph& graph) {
  bool modified = false;
  const std::size_t count = graph.nodes().size();
  for (std::size_t i = 0; i < count; ++i) {
    ir::Node& node = *graph.nodes()[i];
    node.scratch = is_computed_from_constants(node) ? constants : run_time;
    if (node.scratch == run_time || !has_dynamic_shape(node)) continue;
    const std::vector<std::size_t> inputs = inputs_to_hide(node);
    if (inputs.empty()) continue;
    hide(node, inputs);
    modified = true;
  }
  return modified;
}

}  // namespace

bool hide_constant_sizes(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) modified = hide(*graph) || modified;
  return modified;
}

}  // namespace onnx2ir::passes
