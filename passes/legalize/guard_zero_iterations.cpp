// Corrects the outputs of loops that may run zero iterations. In that case all releases return the scan
// outputs of the previous inference, and wrong values for states that the body never reads. Releases up to
// 2025.4 return uninitialised memory, or the values of the previous inference, for every final value
// (zero_trip_final_values).
#include <algorithm>
#include <optional>

#include "ir/inference.hpp"
#include "passes/final_or_initial.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"
#include "passes/stacked_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the next value of a state is computed from its present one by a short chain of operations that
/// keep the shape.
bool keeps_shape(const ir::Carried& state) {
  constexpr int kMaxSteps = 16;
  ir::Value value = state.result->input(0);
  for (int step = 0; step < kMaxSteps; ++step) {
    if (value == state.parameter->value()) return true;
    if (!value.node->op().traits.keeps_shape) return false;
    value = value.node->input(0);
  }
  return false;
}

/// Replaces all uses of `output` by the result of `guard`.
template <typename Guard>
void guard_output(ir::Value output, Guard guard) {
  const auto readers = output.output().uses;
  const ir::Value replacement = guard(output);
  ir::replace_uses({readers.begin(), readers.end()}, output, replacement);
}

/// The rows if the loop ran. Otherwise the stacked axis and all dynamic sizes of a row are 0, as in
/// onnxruntime.
ir::Value rows_of_run(ir::Builder& builder, ir::Value rows, const ir::Scan& scan, ir::Value ran) {
  const std::size_t along = ir::normalize_axis(scan.axis, rows.shape().rank());
  const ir::Value lengths =
      builder.op(ops::Select, {ran, builder.integers({-1, 0}), builder.integers({0, -1})});
  for (std::size_t axis = 0; axis < rows.shape().rank(); ++axis) {
    if (axis != along && rows.shape()[axis].is_static()) continue;
    const ir::Value place = builder.integer(static_cast<std::int64_t>(axis));
    rows = builder.node(ops::VariadicSplit, {rows, place, lengths}, {}, 2).value(0);
  }
  return rows;
}

bool run_on(ir::LoopView loop, const target::Target& target) {
  if (loop.runs_at_least_once()) return false;
  FinalOrInitial result(loop);
  ir::Builder& builder = result.builder();
  bool modified = false;
  for (ir::Scan& scan : loop.scans()) {
    if (!target.has(Fault::zero_trip_scan_outputs)) break;
    if (loop.output(scan).output().uses.empty() || scan.is_guarded) continue;
    guard_output(loop.output(scan),
                 [&](ir::Value rows) { return rows_of_run(builder, rows, scan, result.ran()); });
    scan.is_guarded = true;
    modified = true;
  }
  for (ir::Carried& state : loop.states()) {
    if (!state.output || state.is_guarded || loop.output(state).output().uses.empty()) continue;
    const bool is_unread = !ir::is_read(state.parameter->value());
    if (!target.has(Fault::zero_trip_final_values) &&
        !(is_unread && target.has(Fault::zero_trip_unread_states)))
      continue;
    ir::Value final = loop.output(state);
    ir::Value initial = loop.outer(state);
    if (const ir::Value first = only_first_copy(final)) {
      final = first;
      initial = first_copy(builder, initial);
    }
    guard_output(final, [&](ir::Value value) { return result.choose(value, initial, keeps_shape(state)); });
    state.is_guarded = true;
    modified = true;
  }
  return modified;
}

}  // namespace

bool guard_zero_iterations(ir::Model& model, PassContext& context) {
  bool modified = false;
  for (const ir::LoopView loop : loops_of(model)) modified = run_on(loop, context.target) || modified;
  return modified;
}

}  // namespace onnx2ir::passes
