// Workarounds for LSTMSequence, GRUSequence and RNNSequence.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/size_rules.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `condition` is whether `data` [batch, steps, ...] has steps.
bool tests_steps(ir::Value condition, ir::Value data) {
  ir::Value steps;
  return matches(condition, op(ops::NotEqual, any(steps), integer(0))) && ir::is_size_of(steps, 0, data, 1);
}

/// Whether all uses of the state are those of Selects which take another one after zero steps.
bool is_only_selected(const ir::Output& state, ir::Value data) {
  return std::ranges::all_of(state.uses, [&](const ir::Use& use) {
    const auto select = ir::match<ir::SelectView>(*use.node);
    return select && use.index == ir::SelectView::Input::then_value && tests_steps(select->condition(), data);
  });
}

/// Fault::zero_step_states. The final states over zero steps are the initial states.
bool has_stale_states(ir::AnyRecurrentView sequence) {
  const ir::Value data = sequence.data();
  if (!data.shape().has_rank() || !data.shape()[1].admits(0)) return false;
  return !std::ranges::all_of(sequence.node().outputs().subspan(1),
                              [&](const ir::Output& state) { return is_only_selected(state, data); });
}

/// `state`, or the scalar 0 if it is filled with zeros.
ir::Value initial_state(ir::Builder& builder, ir::Value state) {
  const auto broadcast = ir::match<ir::BroadcastView>(state);
  const ir::Value element = broadcast ? broadcast->data() : state;
  return ir::exact_number(element) == 0.0 ? builder.number_like(0, state) : state;
}

void keep_states(ir::Builder& builder, ir::Node& sequence) {
  const ir::Value data = ir::AnyRecurrentView(sequence).data();
  const ir::Value steps = ir::dimension_of(builder, data, 1);
  const ir::Value any = builder.op(ops::NotEqual, {steps, builder.integer(0)});
  for (std::uint32_t i = 1; i < sequence.outputs().size(); ++i) {
    const ir::Value state = sequence.value(i);
    if (is_only_selected(state.output(), data)) continue;
    const ir::Value initial = initial_state(builder, sequence.input(i));
    const ir::Value kept = builder.op(ops::Select, {any, state, initial});
    ir::replace_uses_except(state, kept, *kept.node);
  }
}

/// Fault::constant_initial_state. The states give the size of the batch; here the data get it by a Reshape.
bool is_affected(ir::AnyRecurrentView sequence) {
  const ir::PartialShape& data = sequence.data().shape();
  const ir::Value state = sequence.hidden_state();
  return data.has_rank() && data[0].is_dynamic() && state.shape().has_rank() && state.shape()[0].size() > 0 &&
         ir::is_computed_from_constants(state);
}

void set_batch(ir::Builder& builder, ir::Node& node) {
  const ir::AnyRecurrentView sequence = node;
  const std::vector<std::int64_t> sizes{sequence.hidden_state().shape()[0].size(), 0, 0};
  node.set_input(ir::AnyRecurrentView::Input::data, ir::reshape_keeping(builder, sequence.data(), sizes));
}

}  // namespace

Workaround legalize_sequences() {
  return {
      .summary =
          "Selects the initial states of recurrent operations after zero steps, and gives the data the batch "
          "size of constant initial states",
      .stages = {{Stage::imported, {row<has_stale_states, keep_states>(Fault::zero_step_states, kSequences)}},
                 {Stage::kernels, {row<is_affected, set_batch>(Fault::constant_initial_state, kSequences)}}}};
}

}  // namespace onnx2ir::passes
