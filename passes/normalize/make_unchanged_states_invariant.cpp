// A state whose next value is its present one never changes: it becomes an invariant input, its final value
// is the initial one. (Exporters pass weights and conditions through loops this way.)
#include <algorithm>

#include "passes/graph_walk.hpp"
#include "passes/loop_ports.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool is_unchanged(const ir::Carried& state) {
  return state.result->input(0) == ir::Value{state.parameter, 0};
}

void run_on(ir::Node& node) {
  ir::LoopBody& loop = *node.loop();
  std::vector<std::uint32_t> outputs;
  std::vector<ir::Node*> results;
  std::erase_if(loop.carried, [&](const ir::Carried& state) {
    if (!is_unchanged(state)) return false;
    if (state.output) {
      ir::replace_all_uses(node.value(*state.output), node.input(state.input));
      outputs.push_back(*state.output);
    }
    // The body's condition may be this very Result; it stays as that.
    if (state.result != loop.condition) results.push_back(state.result);
    loop.invariants.push_back({state.input, state.parameter});
    return true;
  });
  for (ir::Node* result : results) loop.graph->remove(*result);
  std::sort(outputs.rbegin(), outputs.rend());
  for (const std::uint32_t output : outputs) remove_output(node, output);
}

}  // namespace

bool make_unchanged_states_invariant(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Node* loop : loops_of(model)) {
    const std::size_t states = loop->loop()->carried.size();
    run_on(*loop);
    modified = modified || loop->loop()->carried.size() != states;
  }
  return modified;
}

}  // namespace onnx2ir::passes
