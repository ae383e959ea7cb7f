// A state that each iteration only appends to is a scan output: the runtime writes its rows once, where a
// carried Concat would copy all rows so far in each iteration. (Lists that scripts append to, stacked
// afterwards, come this way.)
//
// The appended rows must have a static shape: Loop-5 stacks parts of one size, and of a loop that does not
// run nothing else would tell the sizes.
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool has_one_use(ir::Value value) {
  return value.output().uses.size() == 1;
}

/// The Concat that appends to `state`, null when there is something else.
ir::Node* append_to(ir::LoopView loop, const ir::Carried& state) {
  if (!state.output || loop.output(state).output().uses.empty()) return nullptr;
  const ir::Value next = state.result->input(0);
  const bool is_append = next.node->is(ops::Concat) && next.node->inputs().size() == 2 &&
                         next.node->input(0) == ir::Value{state.parameter, 0};
  if (!is_append || !has_one_use(next) || !has_one_use({state.parameter, 0})) return nullptr;
  return next.node->input(1).shape().is_static() ? next.node : nullptr;
}

/// The initial rows and after them those of all iterations: what the state ended as.
void append_outside(ir::LoopView loop, ir::Value initial, const ir::Scan& scan) {
  if (initial.shape()[static_cast<std::size_t>(scan.axis)] == ir::Dimension(0)) return;
  const ir::Value rows = loop.output(scan);
  const ir::Value whole =
      ir::builder_beside(loop.node()).op(ops::Concat, {initial, rows}, {{"axis", scan.axis}});
  ir::replace_uses_except(rows, whole, *whole.node);
}

/// The scan output that takes the place of `state`'s output.
ir::Scan scan_of(ir::LoopView loop, const ir::Carried& state, const ir::Node& append) {
  const ir::Value row = append.input(1);
  const std::size_t axis = ir::normalize_axis(append.integer("axis"), row.shape().rank());
  ir::Scan scan{&ir::Builder(loop.graph()).result(row), *state.output, static_cast<std::int64_t>(axis)};
  // The CPU runtime takes the stride for the size of a part.
  scan.part_size = scan.stride = row.shape()[axis].size();
  return scan;
}

bool run_on(ir::LoopView loop) {
  std::vector<std::pair<ir::Value, ir::Scan>> appended;  // initial rows, and those of all iterations
  std::unordered_set<const ir::Node*> parameters;
  for (ir::Carried& state : loop.states()) {
    const ir::Node* const append = append_to(loop, state);
    if (append == nullptr) continue;
    appended.emplace_back(loop.outer(state), scan_of(loop, state, *append));
    parameters.insert(state.parameter);
    loop.scans().push_back(appended.back().second);
    state.output.reset();
  }
  if (appended.empty()) return false;
  loop.remove_states([&](const ir::Carried& state) { return parameters.contains(state.parameter); });
  ir::infer(loop.node());
  for (const auto& [initial, scan] : appended) append_outside(loop, initial, scan);
  return true;
}

}  // namespace

bool convert_appends_to_scan_outputs(ir::Model& model, PassContext&) {
  bool modified = false;
  for (const ir::LoopView loop : loops_of(model)) modified = run_on(loop) || modified;
  return modified;
}

}  // namespace onnx2ir::passes
