// Makes static sizes of a state's initial value dynamic if they change between iterations. OpenVINO notices
// such a change only from the loop's output: if the final value is unused, or only its shape is used, each
// iteration reads the initial elements again (unnoticed_state_shape). Older releases do not notice it at all
// if the next value has a dynamic size (kept_initial_size).
#include <algorithm>

#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the elements of the final value are used. A ShapeOf does not use them, nor does one after
/// operations that OpenVINO then turns into operations on the shape.
bool is_final_value_read(ir::LoopView loop, const ir::Carried& state) {
  if (!state.output) return false;
  const ir::OperationSet passed{ops::Squeeze, ops::Unsqueeze, ops::Reshape, ops::Gather};
  std::vector<ir::Value> pending{loop.output(state)};
  while (!pending.empty()) {
    const ir::Value value = pending.back();
    pending.pop_back();
    for (const ir::Use& use : value.output().uses) {
      if (use.node->is(ops::ShapeOf)) continue;
      if (use.index != 0 || !use.node->is_one_of(passed)) return true;
      pending.push_back(use.node->value());
    }
  }
  return false;
}

bool is_number(ir::Value value) {
  return value.type() == ir::ElementType::i64 && value.shape().is_scalar();
}

/// A value that changes between inferences, preferably a number. Null if the model has no such input. Not a
/// value that inference knows, as of a condition that hide_constant_counts has made: OpenVINO does not know
/// it.
ir::Value find_source(const ir::Node& loop, const RunTimeElements& elements) {
  ir::Value found;
  for (const ir::Value input : loop.inputs()) {
    if (input.type() == ir::ElementType::string || input.shape().element_count() == 0 ||
        !elements.reach(input) || ir::known_values(input))
      continue;
    if (is_number(input)) return input;
    if (!found) found = input;
  }
  return found ? found : run_time_source(loop.graph());
}

/// A 0 that OpenVINO does not fold, and whose bounds it does not know: the difference of a number that
/// changes between inferences from itself. (No bitwise operation, because the GPU plugin cannot compute it
/// for sizes.)
ir::Value emit_unfoldable_zero(ir::Builder& builder, ir::Value source) {
  ir::Value number = source;
  if (!is_number(source)) {
    const ir::Value elements = ir::convert(builder, ir::flatten(builder, source), ir::ElementType::i64);
    number = ir::reduce(builder, ops::ReduceSum, elements, {0});
  }
  return builder.op(ops::Subtract, {number, number});
}

/// As hide_sizes(), but without a Reshape, which may fail for empty constants (empty_reshape_in_first_run).
ir::Value hide_empty_sizes(ir::Builder& builder, ir::Value initial, const ir::PartialShape& parameter,
                           ir::Value zero) {
  ir::Value hidden = initial;
  for (std::size_t axis = 0; axis < parameter.rank(); ++axis) {
    const ir::Dimension size = initial.shape()[axis];
    if (size == parameter[axis]) continue;
    const ir::Value end = builder.op(ops::Add, {builder.integer(size.size()), zero});
    const ir::Value all = ir::emit_range(builder, end);
    hidden = ir::gather(builder, hidden, all, static_cast<std::int64_t>(axis));
  }
  return hidden;
}

/// `initial`, with every size dynamic that is not static in `parameter`.
ir::Value hide_sizes(ir::Builder& builder, ir::Value initial, const ir::PartialShape& parameter,
                     ir::Value zero) {
  if (initial.shape().element_count() == 0 && initial.shape().rank() > 1)
    return hide_empty_sizes(builder, initial, parameter, zero);
  // One operation hides all sizes; a Reshape then gives OpenVINO those that do not change. 0 keeps a size.
  const ir::Value sizes = builder.integers(initial.shape().sizes_or(0));
  const ir::Value hidden_sizes = builder.op(ops::Add, {sizes, zero});
  const ir::Value hidden = ir::reshape_keeping(builder, initial, hidden_sizes);
  if (std::ranges::all_of(parameter, &ir::Dimension::is_dynamic)) return hidden;
  return ir::reshape_keeping(builder, hidden, parameter.sizes_or(0));
}

}  // namespace

bool hide_initial_shapes(ir::Model& model, PassContext& context) {
  const bool keeps_sizes = context.has(Fault::kept_initial_size);
  const RunTimeElements elements(model);
  bool modified = false;
  for (const ir::LoopView loop : runnable_loops_of(model)) {
    ir::Builder builder = ir::builder_beside(loop.node());
    ir::Value zero;
    for (const ir::Carried& state : loop.states()) {
      const ir::Value initial = loop.outer(state);
      const ir::PartialShape& parameter = state.parameter->output(0).shape;
      if (initial.shape() == parameter) continue;
      // Releases with kept_initial_size keep the initial shape for the body if it fits the inferred shape of
      // the next value. For an If they infer the interval from the smallest to the largest size.
      const bool is_kept_wrongly =
          keeps_sizes && ir::intersect(state.result->output(0).shape, initial.shape()).has_value();
      if (!is_kept_wrongly && is_final_value_read(loop, state)) continue;
      if (!zero) {
        const ir::Value source = find_source(loop.node(), elements);
        if (!source) break;
        zero = emit_unfoldable_zero(builder, source);
      }
      loop.set_outer(state, hide_sizes(builder, initial, parameter, zero));
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
