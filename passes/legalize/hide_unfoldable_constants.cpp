// Workaround for dynamic_constant_shapes and constant_loop_operations. OpenVINO folds operations on
// constants, but it cannot compute all of them, for example GatherND and IsNaN. The CPU plugin cannot compile
// those that are left if their output has a dynamic shape: a Range whose size is the result of a GatherND. If
// a body has such an operation, the folding of a Loop of constants fails. The inputs of both are made to
// depend on a number that is known only at run time.
#include <algorithm>
#include <optional>
#include <vector>

#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"
#include "passes/support/select_values.hpp"

namespace onnx2ir::passes {
namespace {

bool has_dynamic_shape(const ir::Node& node) {
  return std::ranges::any_of(
      node.outputs(), [](const ir::Output& output) { return !output.uses.empty() && !output.shape.sizes(); });
}

/// The inputs that are made dynamic: all computed ones, because OpenVINO may decompose the operation into one
/// that reads only some of them; otherwise the first one, which has the data. Trip counts and conditions of
/// loops stay, because the number of iterations follows from them. Inputs that the body does not read stay,
/// because OpenVINO removes them before it folds the node.
std::vector<std::uint32_t> inputs_to_hide(ir::Node& node) {
  std::vector<std::uint32_t> computed;
  std::optional<std::uint32_t> literal;
  for (std::uint32_t i = node.loop() != nullptr ? ir::LoopView::kFirstMapped : 0; i < node.inputs().size();
       ++i) {
    const ir::Value input = node.input(i);
    if (!can_be_selected(input.type()) || !ir::is_read(ir::Use{&node, i})) continue;
    if (input.node->constant() == nullptr)
      computed.push_back(i);
    else if (!literal)
      literal = i;
  }
  if (computed.empty() && literal) computed.push_back(*literal);
  return computed;
}

/// A Result of the body that is an output of the Loop and has a type that Select takes; null if no Result is.
ir::Node* result_to_hide(ir::LoopView loop) {
  const auto can_be_hidden = [](const ir::Node& result) { return can_be_selected(result.output(0).type); };
  for (const ir::Scan& scan : loop.scans()) {
    if (can_be_hidden(*scan.result)) return scan.result;
  }
  for (const ir::Carried& state : loop.states()) {
    if (state.output && can_be_hidden(*state.result)) return state.result;
  }
  return nullptr;
}

/// For a Loop whose body reads no input: it captures a value for one of its results.
bool hide_in_body(ir::LoopView loop) {
  ir::Node* const result = result_to_hide(loop);
  if (result == nullptr) return false;
  ir::Builder outside = ir::builder_beside(loop.node());
  const ir::Value truth = ir::add_invariant(loop.node(), loop.body(), emit_run_time_truth(outside));
  ir::Builder inside = ir::builder_beside(*result);
  result->set_input(0, hide_value(inside, truth, result->input(0)));
  return true;
}

bool hide(ir::Node& node) {
  const std::vector<std::uint32_t> inputs = inputs_to_hide(node);
  if (inputs.empty()) return node.loop() != nullptr && hide_in_body(ir::LoopView(node));
  ir::Builder builder = ir::builder_beside(node);
  const ir::Value truth = emit_run_time_truth(builder);
  for (const std::uint32_t i : inputs) node.set_input(i, hide_value(builder, truth, node.input(i)));
  return true;
}

/// Whether OpenVINO folds the node, or tries to.
bool is_folded(ir::Node& node) {
  if (!node.op().traits.has_bodies) return node.is_computed_from_constants();
  for (std::uint32_t i = 0; i < node.inputs().size(); ++i) {
    if (!ir::is_computed_from_constants(node.input(i)) && ir::is_read(ir::Use{&node, i})) return false;
  }
  return true;
}

}  // namespace

bool hide_unfoldable_constants(ir::Model& model, PassContext&) {
  return edit_each(graphs_of(model), [](ir::Graph* graph) {
    return edit_present_nodes(*graph, [](ir::Node& node) {
      return is_folded(node) && (has_dynamic_shape(node) || node.loop() != nullptr) && hide(node);
    });
  });
}

}  // namespace onnx2ir::passes
