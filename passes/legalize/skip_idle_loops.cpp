// If the body of a loop does nothing but run an inner loop, the outer loop is not run if the inner loop would
// run zero times. The inner loop then runs at least once in each iteration and needs no guard
// (zero_trip_final_values): one guard outside serves both.
//
// "Nothing but": each state either keeps its value or takes the inner loop's final value of the same state.
// Whether the inner loop runs must be the same in all iterations.
#include <algorithm>
#include <unordered_map>

#include "passes/analysis/foldable.hpp"
#include "passes/finished_forms.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"
#include "passes/support/final_or_initial.hpp"

namespace onnx2ir::passes {
namespace {

/// If the trip count takes more nodes to compute, a guard is cheaper than a copy of them.
constexpr int kMaxCopied = 16;

/// Whether a body value can be computed outside of the loop: only arithmetic that cannot fail, on values of
/// static shape, from invariants and constants. `remaining` limits the number of copied nodes.
bool can_be_copied(ir::Value value, const CapturedValues& captured, int& remaining) {
  const ir::Node& node = *value.node;
  if (node.constant() != nullptr || captured.of(value)) return true;
  const ir::Traits& traits = node.op().traits;
  const bool is_arithmetic = traits.broadcasts || (traits.keeps_shape && node.inputs().size() == 1);
  if (!is_arithmetic || traits.is_volatile || !never_fails(node) || --remaining < 0) return false;
  return std::ranges::all_of(node.inputs(),
                             [&](ir::Value input) { return can_be_copied(input, captured, remaining); });
}

ir::Value copy_outside(ir::Builder& outer, ir::Value value, const CapturedValues& captured) {
  if (const ir::Value outside = captured.of(value)) return outside;
  std::vector<ir::Value> inputs;
  for (const ir::Value input : value.node->inputs()) inputs.push_back(copy_outside(outer, input, captured));
  return outer.clone(*value.node, inputs).value(value.index);
}

/// Whether an iteration in which `inner` does not run leaves all outputs of `loop` as they are.
bool only_runs_inner_loop(ir::LoopView loop, ir::LoopView inner) {
  if (!loop.scans().empty() || !loop.body().last_values.empty()) return false;
  std::unordered_map<std::uint32_t, ir::Value> initial;  // of each final value of `inner`
  for (const ir::Carried& state : inner.states()) {
    if (state.output) initial.emplace(*state.output, inner.outer(state));
  }
  return std::ranges::all_of(loop.states(), [&](const ir::Carried& state) {
    const ir::Value before = state.parameter->value();
    const ir::Value after = state.result->input(0);
    if (!state.output || after == before) return true;
    if (after.node != &inner.node()) return false;
    const auto found = initial.find(after.index);
    return found != initial.end() && found->second == before;
  });
}

bool needs_guard(ir::LoopView loop) {
  if (loop.runs_at_least_once()) return false;
  return std::ranges::any_of(loop.states(), [&](const ir::Carried& state) {
    return state.output && !state.is_guarded && !loop.output(state).output().uses.empty();
  });
}

bool run_on(ir::LoopView loop, ir::LoopView inner) {
  if (!needs_guard(inner) || !only_runs_inner_loop(loop, inner)) return false;
  CapturedValues captured;
  captured.add(loop.node(), loop.body());
  int remaining = kMaxCopied;
  if (!can_be_copied(inner.trip_count(), captured, remaining) ||
      !can_be_copied(inner.condition(), captured, remaining))
    return false;
  ir::Builder outer = ir::builder_beside(loop.node());
  const ir::Value trip_count = copy_outside(outer, inner.trip_count(), captured);
  const ir::Value condition = copy_outside(outer, inner.condition(), captured);
  const ir::Value runs = emit_first_iteration_condition(outer, trip_count, condition);
  const ir::Value count = loop.trip_count();
  loop.set_trip_count(outer.op(ops::Select, {runs, count, outer.integer(0, count.type())}));
  inner.node().notes.add(ir::Note::known_to_run);
  return true;
}

}  // namespace

ir::Value condition_of_trip_count(ir::Value trip_count) {
  ir::Value runs;
  return matches(trip_count, op(ops::Select, any(runs), any(), integer(0))) ? runs : ir::Value{};
}

bool skip_idle_loops(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    return std::ranges::any_of(loop.graph().control_flow(), [&](ir::Node* inner) {
      return inner->loop() != nullptr && run_on(loop, ir::LoopView(*inner));
    });
  });
}

}  // namespace onnx2ir::passes
