// Workaround for zero_step_states: the final states of LSTMSequence, GRUSequence and RNNSequence over zero
// steps are their initial states.
#include <algorithm>

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

}  // namespace

Workaround keep_initial_states() {
  return {.stage = Stage::imported,
          .summary = "Selects the initial states of recurrent operations after zero steps",
          .rows = {row<has_stale_states, keep_states>(Fault::zero_step_states, kSequences)}};
}

}  // namespace onnx2ir::passes
