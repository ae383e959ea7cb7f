#include "frontend/translators/onnx/recurrent_loop.hpp"

#include "frontend/translators/onnx/loop_builder.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// After its end, a sequence keeps its state and outputs zeros. `next` are the states after a step, the first
/// of which is the output; returns the row of the output.
Value stop_at_end(Builder& body, Value iteration, Value lengths, const Values& states, Values& next) {
  const Value row = next[0];
  const Value time = convert(body, iteration, ElementType::i32);
  const Value running = unsqueeze(body, body.op(ops::Less, {time, lengths}), {1});
  for (std::size_t i = 0; i < next.size(); ++i) next[i] = body.op(ops::Select, {running, next[i], states[i]});
  return body.op(ops::Select, {running, row, body.number_like(0, row)});
}

/// An initial state with the sizes that the weights give: a Loop needs them.
Value set_state_sizes(NodeContext& node, const Cell& cell, Value state) {
  const bool is_sized = state.shape().rank() == 3 && state.shape()[2].is_static();
  return is_sized ? state
                  : reshape_keeping(node, state, std::vector<std::int64_t>{cell.directions, 0, cell.hidden});
}

std::span<const Activation> activations_of(const Cell& cell, std::int64_t direction) {
  const std::size_t count = cell.activations.size() / static_cast<std::size_t>(cell.directions);
  return std::span(cell.activations).subspan(static_cast<std::size_t>(direction) * count, count);
}

/// All steps of one direction as a Loop.
LoopOutputs run_direction(NodeContext& node, const Cell& cell, std::int64_t direction, const Step& step) {
  const auto of_direction = [&](Value value) { return gather(node, value, node.integer(direction)); };
  const bool backwards = cell.direction == "reverse" || direction == 1;
  const Value steps = reshape_to_scalar(node, dimension_of(node, cell.x, 0));
  const Value lengths = cell.lengths ? cell.lengths : emit_all_steps(node, cell);
  const auto reverse_steps = [&](Value value) {
    return node.op(ops::ReverseSequence, {value, lengths}, {{"batch_axis", 1}, {"seq_axis", 0}});
  };
  const Value x = backwards ? reverse_steps(cell.x) : cell.x;
  Value xw = cell.products.by_w ? cell.products.by_w(node, x, direction)
                                : mat_mul(node, x, of_direction(cell.w), {.b = true});
  xw = node.op(ops::Add, {xw, of_direction(cell.w_bias)});
  Values initial;
  for (const Value& state : cell.initial) initial.push_back(of_direction(set_state_sizes(node, cell, state)));
  Values invariants{xw, of_direction(cell.r_bias), lengths};
  const auto add = [&](Value value) {
    invariants.push_back(of_direction(value));
    return invariants.size() - 1;
  };
  const std::size_t r = cell.products.by_r ? 0 : add(cell.r);
  const std::size_t peepholes = cell.peepholes ? add(cell.peepholes) : 0;
  LoopOutputs result = iterate(
      node, steps, initial, invariants,
      [&](Builder& body, Value iteration, const Values& states, const Values& values) {
        const auto captured = [&](std::size_t index) { return index == 0 ? Value{} : values[index]; };
        Values next = step(body, {.x = gather(body, values[0], iteration),
                                  .states = states,
                                  .r = captured(r),
                                  .r_bias = values[1],
                                  .peepholes = captured(peepholes),
                                  .activations = activations_of(cell, direction),
                                  .direction = direction});
        const Value row = cell.lengths ? stop_at_end(body, iteration, values[2], states, next) : next[0];
        return Iteration{next, {row}};
      });
  if (backwards) result.scans[0] = reverse_steps(result.scans[0]);
  if (cell.lengths || cell.x.shape()[0].min == 0) {
    for (Value& state : result.states) state = zero_without_steps(node, lengths, state, {1});
  }
  return result;
}

}  // namespace

Value emit_all_steps(NodeContext& node, const Cell& cell) {
  const Value steps = convert(node, dimension_of(node, cell.x, 0), ElementType::i32);
  return broadcast_to(node, steps, dimension_of(node, cell.x, 1));
}

Value zero_without_steps(NodeContext& node, Value lengths, Value state,
                         const std::vector<std::int64_t>& axes) {
  const Value any = node.op(ops::Greater, {lengths, node.integer(0, ElementType::i32)});
  return node.op(ops::Select, {unsqueeze(node, any, axes), state, node.number_like(0, state)});
}

Values run_in_loops(NodeContext& node, const Cell& cell, const Step& step) {
  std::vector<Values> parts(1 + cell.initial.size());
  for (std::int64_t direction = 0; direction < cell.directions; ++direction) {
    const LoopOutputs iterated = run_direction(node, cell, direction, step);
    parts[0].push_back(unsqueeze(node, iterated.scans[0], {1}));
    for (std::size_t i = 0; i < iterated.states.size(); ++i) {
      parts[1 + i].push_back(unsqueeze(node, iterated.states[i], {0}));
    }
  }
  Values outputs{concat(node, parts[0], 1)};
  for (std::size_t i = 1; i < parts.size(); ++i) outputs.push_back(concat(node, parts[i], 0));
  return outputs;
}

}  // namespace onnx2ir::frontend
