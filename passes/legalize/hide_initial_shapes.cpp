// Hides the sizes of a state's initial value from OpenVINO if they change between iterations.
//
// OpenVINO notices only at the loop's output that a static size changes: if the final value is unused, or
// only its shape is used, each iteration reads the initial elements again (unnoticed_state_shape). Older
// releases do not notice it at all if the next value has a dynamic size (kept_initial_size).
//
// A Loop in the body of another one keeps the sizes that OpenVINO has inferred from the static initial size
// of an outer state, also if it changes: the model then does not compile, or fails in the second iteration.
// So do sizes that the body computes from those of the state.
//
// OpenVINO assumes that dynamic sizes that are equal before the loop are equal in each iteration, and
// computes one from the other (equal_initial_sizes). So the sizes of each state are hidden with a number of
// their own: equal operations would be merged, and their sizes would be equal again.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "passes/analysis/axes.hpp"
#include "passes/analysis/size_changes.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"
#include "passes/support/run_time_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// The nodes that read a value, also after operations that OpenVINO turns into operations on the shape if a
/// ShapeOf follows them.
std::vector<const ir::Node*> readers_of(ir::Value first) {
  const ir::OperationSet passed{ops::Squeeze, ops::Unsqueeze, ops::Reshape, ops::Gather};
  std::vector<const ir::Node*> readers;
  std::vector<ir::Value> pending{first};
  while (!pending.empty()) {
    const ir::Value value = pending.back();
    pending.pop_back();
    for (const ir::Use& use : value.output().uses) {
      if (use.index == 0 && use.node->is_one_of(passed)) {
        pending.push_back(use.node->value());
      } else {
        readers.push_back(use.node);
      }
    }
  }
  return readers;
}

bool is_shape_of(const ir::Node* node) {
  return node->is(ops::ShapeOf);
}

/// Whether the elements of the final value are used.
bool is_final_value_read(ir::LoopView loop, const ir::Carried& state) {
  return state.output && !std::ranges::all_of(readers_of(loop.output(state)), is_shape_of);
}

/// Whether the body computes with the sizes of the state.
bool are_sizes_read(const ir::Carried& state) {
  return std::ranges::any_of(readers_of(state.parameter->value()), is_shape_of);
}

/// As hide_sizes(), but copies the elements for each size that changes.
ir::Value hide_sizes_of_copy(ir::Builder& builder, ir::Value initial, const ir::PartialShape& parameter,
                             ir::Value zero) {
  ir::Value hidden = initial;
  for (std::size_t axis = 0; axis < initial.shape().rank(); ++axis) {
    if (parameter.has_rank() && parameter[axis].is_static()) continue;
    const ir::Value size = ir::size_of(builder, initial, static_cast<std::int64_t>(axis));
    const ir::Value all = ir::emit_range(builder, builder.op(ops::Add, {size, zero}));
    hidden = ir::gather(builder, hidden, all, static_cast<std::int64_t>(axis));
  }
  return hidden;
}

/// `initial`, with every size that is not static in `parameter` dynamic, and equal to no other size.
ir::Value hide_sizes(ir::Builder& builder, ir::Value initial, const ir::PartialShape& parameter,
                     ir::Value zero) {
  // OpenVINO knows the size of a reshaped vector from the number of elements. A Reshape of an empty constant
  // may fail (empty_reshape_in_first_run).
  if (initial.shape().has_rank(1) || initial.shape().element_count() == 0)
    return hide_sizes_of_copy(builder, initial, parameter, zero);
  return reshape_to_hidden_sizes(builder, initial, parameter, zero);
}

/// The 0 that hides the sizes of `value`; null if they are not hidden.
ir::Value zero_that_hides(ir::Value value) {
  const auto is_zero = [](ir::Value input) { return is_run_time_zero(input); };
  ir::Value zero;
  const auto hidden_sizes = commutative(ops::Add, any(zero, is_zero), any());
  const auto reshaped = op(ops::Reshape, any(), hidden_sizes);
  // The maximum is from legalize_size_operands.
  const auto is_end = [&](ir::Value end) {
    return matches(end, hidden_sizes) || matches(end, commutative(ops::Maximum, hidden_sizes, any()));
  };
  if (matches(value, reshaped) || matches(value, op(ops::Reshape, reshaped)) ||
      matches(value, op(ops::Gather, any(), op(ops::Range, any(), is_end))))
    return zero;
  return {};
}

/// Whether a size of the state changes that may be equal to another one at first.
bool may_stay_equal(ir::LoopView loop, const ir::Carried& state) {
  const std::ptrdiff_t own_axes = dynamic_dimensions(state.parameter->output(0).shape);
  if (own_axes == 0 || keeps_sizes(state)) return false;
  const auto& parameters = loop.body().graph->parameters();
  return own_axes > 1 || std::ranges::any_of(parameters, [&](const ir::Node* other) {
           return other != state.parameter && dynamic_dimensions(other->output(0).shape) > 0;
         });
}

/// The zeros that hide sizes before one loop.
class Zeros {
 public:
  explicit Zeros(ir::LoopView loop) : loop_(loop) {
    for (const ir::Carried& state : loop.states()) {
      const ir::Value zero = zero_that_hides(loop.outer(state));
      if (zero && used_.insert(zero.node).second) hidden_.insert(&state);
    }
  }

  /// Whether no other state has the sizes that OpenVINO sees.
  bool hide(const ir::Carried& state) const { return hidden_.contains(&state); }

  /// A zero for another state; null if the model has no value that OpenVINO does not know.
  ir::Value emit(ir::Builder& builder, const RunTimeElements& elements) {
    if (!zero_) zero_ = emit_run_time_zero(builder, loop_.node(), elements);
    if (!zero_) return {};
    const auto count = static_cast<std::int64_t>(used_.size());
    const ir::Value zero =
        count == 0 ? zero_ : builder.op(ops::Multiply, {zero_, builder.integer(count + 1)});
    used_.insert(zero.node);
    return zero;
  }

 private:
  ir::LoopView loop_;
  ir::Value zero_;
  std::unordered_set<const ir::Node*> used_;
  std::unordered_set<const ir::Carried*> hidden_;
};

}  // namespace

bool hide_initial_shapes(ir::Model& model, PassContext& context) {
  const bool has_kept_sizes = context.has(Fault::kept_initial_size);
  const bool has_equal_sizes = context.has(Fault::equal_initial_sizes);
  const RunTimeElements elements(model);
  bool modified = false;
  for (const ir::LoopView loop : runnable_loops_of(model)) {
    ir::Builder builder = ir::builder_beside(loop.node());
    Zeros zeros(loop);
    const bool has_inner_loop = std::ranges::any_of(
        loop.body().graph->control_flow(), [](const ir::Node* node) { return node->loop() != nullptr; });
    for (const ir::Carried& state : loop.states()) {
      const ir::Value initial = loop.outer(state);
      const ir::PartialShape& parameter = state.parameter->output(0).shape;
      // Releases with kept_initial_size keep the initial shape for the body if it fits the inferred shape of
      // the next value. For an If they infer the interval from the smallest to the largest size.
      const bool is_kept_wrongly =
          has_kept_sizes && ir::intersect(state.result->output(0).shape, initial.shape()).has_value();
      const bool is_unnoticed =
          initial.shape() != parameter &&
          (is_kept_wrongly || has_inner_loop || are_sizes_read(state) || !is_final_value_read(loop, state));
      const bool is_taken_for_another = has_equal_sizes && !zeros.hide(state) && may_stay_equal(loop, state);
      if (!is_unnoticed && !is_taken_for_another) continue;
      const ir::Value zero = zeros.emit(builder, elements);
      if (!zero) break;
      loop.set_outer(state, hide_sizes(builder, initial, parameter, zero));
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
