// Corrects the outputs of loops that may run zero iterations. In that case all releases return the scan
// outputs of the previous inference, and wrong values for states that the body never reads. They take sizes
// of the outputs for those of the values in the body, such as captured ones, and compute one from the other
// (zero_trip_sizes). Releases up to 2026.3 return uninitialised memory, or the values of the previous
// inference, for every final value (zero_trip_final_values).

#include <algorithm>

#include "ir/inference.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/size_changes.hpp"
#include "passes/finished_forms.hpp"
#include "passes/passes.hpp"
#include "passes/support/final_or_initial.hpp"
#include "passes/support/run_time_values.hpp"
#include "passes/support/stacked_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the next value of a state is computed from its present one by a short chain of operations that
/// keep the shape.
bool keeps_shape(const ir::Carried& state) {
  constexpr int kMaxSteps = 15;
  const auto operand = [](ir::Value at) {
    return at.node->op().traits.keeps_shape ? at.node->input(0) : ir::Value{};
  };
  return follow(state.result->input(0), operand, kMaxSteps) == state.parameter->value();
}

template <typename Guard>
void guard_output(ir::Value output, Guard guard) {
  const auto readers = output.output().uses;
  const ir::Value replacement = guard(output);
  ir::replace_uses({readers.begin(), readers.end()}, output, replacement);
}

/// The rows if the loop ran. Otherwise the stacked axis and all dynamic sizes of a row are 0, as in
/// onnxruntime. A VariadicSplit is faster than a Slice by 4 us, but only right if rows have elements.
ir::Value select_rows(ir::Builder& builder, ir::Value rows, const ir::Scan& scan, ir::Value ran) {
  const ir::PartialShape& shape = rows.shape();
  const std::size_t along = ir::normalize_axis(scan.axis, shape.rank());
  std::vector<std::int64_t> axes{scan.axis};
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (axis != along && shape[axis].is_dynamic()) axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.size() == 1 && !ir::may_be_empty_beside(shape, along)) {
    const ir::Value lengths =
        builder.op(ops::Select, {ran, builder.integers({-1, 0}), builder.integers({0, -1})});
    return builder
        .node(ops::VariadicSplit, {rows, builder.integer(static_cast<std::int64_t>(along)), lengths}, {}, 2)
        .value(0);
  }
  const std::vector<std::int64_t> none(axes.size(), 0);
  const std::vector<std::int64_t> all(axes.size(), kAllRows);
  const std::vector<std::int64_t> ones(axes.size(), 1);
  const ir::Value end = builder.op(ops::Select, {ran, builder.integers(all), builder.integers(none)});
  return builder.op(ops::Slice,
                    {rows, builder.integers(none), end, builder.integers(ones), builder.integers(axes)});
}

/// Whether releases with faults that `has` knows return wrong final values of `state`, or wrong sizes.
template <typename HasFault>
bool is_affected(const ir::Carried& state, HasFault has) {
  return has(Fault::zero_trip_final_values) ||
         (has(Fault::zero_trip_unread_states) && !ir::is_read(state.parameter->value())) ||
         (has(Fault::zero_trip_sizes) && !keeps_sizes(state));
}

bool needs_guard(ir::LoopView loop, const ir::Scan& scan) {
  return !scan.is_guarded && !loop.output(scan).output().uses.empty();
}

/// Whether OpenVINO knows a lower bound of a dynamic size of the row. Without an iteration in the first
/// inference, the size of the scan output is 0, and the inference fails.
bool has_least_size(const ir::Scan& scan) {
  const ir::PartialShape& row = scan.result->input(0).shape();
  const std::size_t along = ir::normalize_axis(scan.axis, row.rank());
  for (std::size_t axis = 0; axis < row.rank(); ++axis) {
    if (axis != along && row[axis].is_dynamic() && row[axis].min > 0) return true;
  }
  return false;
}

/// Hides the sizes of outputs of a loop. After no iteration they are 0, or those of the previous inference,
/// and OpenVINO computes sizes outside of the loop from them.
class OutputSizes {
 public:
  OutputSizes(ir::LoopView loop, bool are_misread, const RunTimeElements& elements)
      : loop_(loop), elements_(&elements) {
    const auto& parameters = loop.body().graph->parameters();
    may_be_outer_ = are_misread && std::ranges::any_of(parameters, [](const ir::Node* parameter) {
                      return dynamic_dimensions(parameter->output(0).shape) > 0;
                    });
  }

  /// `output`, a final value, with hidden sizes if some may be sizes of inputs. Its guard reads them if there
  /// are at least two.
  ir::Value hide_final(ir::Builder& builder, ir::Value output) {
    return dynamic_dimensions(output.shape()) < 2 ? output : hide(builder, output);
  }

  /// The same for rows. Their guard is a Slice, whose sizes OpenVINO takes for those of the rows if they have
  /// the same bounds (sliced_size).
  ir::Value hide_rows(ir::Builder& builder, ir::Value rows) {
    return std::ranges::any_of(rows.shape(), has_bounds) ? hide(builder, rows) : rows;
  }

  /// Hides the lower bounds of the sizes of rows in the body, if they will be guarded.
  void hide_least_sizes(ir::Builder& builder) {
    ir::Value inner_zero;
    for (const ir::Scan& scan : loop_.scans()) {
      if (!needs_guard(loop_, scan) || !has_least_size(scan) || !emit_zero(builder)) continue;
      if (!inner_zero) inner_zero = ir::add_invariant(loop_.node(), loop_.body(), zero_);
      ir::Builder inside = ir::builder_beside(*scan.result);
      const ir::Value row = scan.result->input(0);
      scan.result->set_input(0, reshape_to_hidden_sizes(inside, row, row.shape(), inner_zero));
    }
    if (inner_zero) ir::infer(loop_.node());
  }

 private:
  ir::Value hide(ir::Builder& builder, ir::Value output) {
    if (!may_be_outer_ || output.shape().rank() < 2 || !emit_zero(builder)) return output;
    return reshape_to_hidden_sizes(builder, output, output.shape(), zero_);
  }

  /// False if the model has no value that OpenVINO does not know.
  bool emit_zero(ir::Builder& builder) {
    if (!zero_) zero_ = emit_run_time_zero(builder, loop_.node(), *elements_);
    return static_cast<bool>(zero_);
  }

  ir::LoopView loop_;
  const RunTimeElements* elements_;
  bool may_be_outer_ = false;
  ir::Value zero_;
};

bool run_on(ir::LoopView loop, const PassContext& context, const RunTimeElements& elements) {
  if (loop.runs_at_least_once()) return false;
  const auto has = [&](Fault fault) { return context.has(fault); };
  FinalOrInitial result(loop);
  ir::Builder& builder = result.builder();
  OutputSizes sizes(loop, has(Fault::zero_trip_sizes), elements);
  bool modified = false;
  const bool has_stale_rows = has(Fault::zero_trip_scan_outputs);
  if (has_stale_rows) sizes.hide_least_sizes(builder);
  for (ir::Scan& scan : loop.scans()) {
    if (!has_stale_rows || !needs_guard(loop, scan)) continue;
    guard_output(loop.output(scan), [&](ir::Value rows) {
      const ir::Value hidden = sizes.hide_rows(builder, rows);
      return select_rows(builder, hidden, scan, result.emit_ran());
    });
    scan.is_guarded = true;
    modified = true;
  }
  for (ir::Carried& state : loop.states()) {
    if (!state.output || state.is_guarded || loop.output(state).output().uses.empty()) continue;
    if (!is_affected(state, has)) continue;
    ir::Value final = loop.output(state);
    ir::Value initial = loop.outer(state);
    if (const ir::Value first = only_first_copy(final)) {
      final = first;
      initial = take_first_copy(builder, initial);
    }
    guard_output(final, [&](ir::Value value) {
      const bool is_kept = keeps_shape(state);
      return result.choose(is_kept ? value : sizes.hide_final(builder, value), initial, is_kept);
    });
    state.is_guarded = true;
    modified = true;
  }
  if (modified) ir::mark_stale(loop.node());
  return modified;
}

}  // namespace

void mark_guarded_outputs(ir::Model& model, std::span<const target::Target> targets) {
  const auto has = [&](Fault fault) {
    return std::ranges::any_of(targets, [&](const target::Target& target) { return target.has(fault); });
  };
  for (const ir::LoopView loop : runnable_loops_of(model)) {
    for (ir::Carried& state : loop.states()) state.is_guarded = is_affected(state, has);
    for (ir::Scan& scan : loop.scans()) scan.is_guarded = has(Fault::zero_trip_scan_outputs);
    ir::mark_stale(loop.node());
  }
}

bool guard_zero_iterations(ir::Model& model, PassContext& context) {
  const RunTimeElements elements(model);
  return edit_each(runnable_loops_of(model),
                   [&](ir::LoopView loop) { return run_on(loop, context, elements); });
}

}  // namespace onnx2ir::passes
