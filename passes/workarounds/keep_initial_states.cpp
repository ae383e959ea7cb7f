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

constexpr ir::OperationSet kSequences{ops::LSTMSequence, ops::GRUSequence, ops::RNNSequence};

/// Whether `condition` is whether `data` [batch, steps, ...] has steps.
bool tests_steps(ir::Value condition, ir::Value data) {
  ir::Value steps;
  return matches(condition, op(ops::NotEqual, any(steps), integer(0))) && ir::is_size_of(steps, 0, data, 1);
}

/// Whether the use is that of a Select which takes another state after zero steps.
bool is_selected(const ir::Use& use, ir::Value data) {
  const auto select = ir::match<ir::SelectView>(*use.node);
  return select && use.index == ir::SelectView::Input::then_value && tests_steps(select->condition(), data);
}

bool has_stale_states(ir::AnyRecurrentView sequence) {
  const ir::Value data = sequence.data();
  if (!data.shape().has_rank() || !data.shape()[1].admits(0)) return false;
  const auto is_kept = [&](const ir::Use& use) { return is_selected(use, data); };
  return std::any_of(sequence.node().outputs().begin() + 1, sequence.node().outputs().end(),
                     [&](const ir::Output& state) { return !std::ranges::all_of(state.uses, is_kept); });
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
    const auto is_kept = [&](const ir::Use& use) { return is_selected(use, data); };
    if (std::ranges::all_of(state.output().uses, is_kept)) continue;
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
