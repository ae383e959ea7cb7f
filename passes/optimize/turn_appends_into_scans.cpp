// A state that each iteration only appends to is a scan output: the runtime writes its rows once, where a
// carried Concat would copy all rows so far in each iteration. (Lists that scripts append to, stacked
// afterwards, come this way.)
//
// The appended rows must have a static shape: Loop-5 stacks parts of one size, and of a loop that does not
// run nothing else would tell the sizes.
#include <algorithm>

#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/loop_ports.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool has_one_use(ir::Value value) {
  return value.node->output(value.index).uses.size() == 1;
}

/// The Concat that appends to `state`, null when there is something else.
ir::Node* append_to(const ir::Node& loop, const ir::Carried& state) {
  if (!state.output || loop.output(*state.output).uses.empty()) return nullptr;
  const ir::Value next = state.result->input(0);
  const bool is_append = next.node->is(ops::Concat) && next.node->inputs().size() == 2 &&
                         next.node->input(0) == ir::Value{state.parameter, 0};
  if (!is_append || !has_one_use(next) || !has_one_use({state.parameter, 0})) return nullptr;
  return next.node->input(1).shape().is_static() ? next.node : nullptr;
}

/// The initial rows and after them those of all iterations: what the state ended as.
void append_outside(ir::Node& loop, std::uint32_t output, ir::Value initial, std::int64_t axis) {
  if (initial.shape()[static_cast<std::size_t>(axis)] == ir::Dimension(0)) return;
  ir::Builder builder(loop.graph());
  builder.set_name(loop.name);
  const ir::Value rows = loop.value(output);
  const ir::Value both[] = {initial, rows};
  const ir::Value whole = builder.op(ops::Concat, both, {{"axis", axis}});
  ir::replace_all_uses(rows, whole);
  whole.node->set_input(1, rows);
}

bool run_on(ir::Node& node) {
  ir::LoopBody& loop = *node.loop();
  ir::Builder body(*loop.graph);
  std::vector<ir::Carried> appended;
  std::erase_if(loop.carried, [&](const ir::Carried& state) {
    if (append_to(node, state) == nullptr) return false;
    appended.push_back(state);
    return true;
  });
  if (appended.empty()) return false;
  std::vector<std::uint32_t> inputs;
  std::vector<std::pair<ir::Value, std::int64_t>> starts;
  for (const ir::Carried& state : appended) {
    ir::Node& append = *state.result->input(0).node;
    const ir::Value row = append.input(1);
    const std::size_t axis = ir::normalize_axis(append.integer("axis"), row.shape().rank());
    ir::Scan scan{&body.result(row), *state.output, static_cast<std::int64_t>(axis)};
    // The CPU runtime takes the stride for the size of a part.
    scan.part_size = scan.stride = row.shape()[axis].size();
    loop.scans.push_back(scan);
    starts.emplace_back(node.input(state.input), scan.axis);
    inputs.push_back(state.input);
    loop.graph->remove(*state.result);
    loop.graph->remove(append);
    loop.graph->remove(*state.parameter);
  }
  std::sort(inputs.rbegin(), inputs.rend());
  for (const std::uint32_t input : inputs) remove_input(node, input);
  ir::infer(node);
  for (std::size_t i = 0; i < appended.size(); ++i) {
    append_outside(node, *appended[i].output, starts[i].first, starts[i].second);
  }
  return true;
}

}  // namespace

bool turn_appends_into_scans(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Node* loop : loops_of(model)) modified = run_on(*loop) || modified;
  return modified;
}

}  // namespace onnx2ir::passes
