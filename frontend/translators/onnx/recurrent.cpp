// LSTM, GRU and RNN in all versions (1, 3, 7, 14 with layout, 22).
//
// OpenVINO's sequence operations if they are equivalent, otherwise a Loop over the steps: for peepholes,
// coupled gates, activations with parameters, and sequence lengths with dynamic shapes
// (dynamic_sequence_lengths).
#include <functional>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/loop_builder.hpp"
#include "frontend/translators/onnx/recurrent_cell.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "target/faults.hpp"

namespace onnx2ir::frontend {
namespace {

/// Y [steps, directions, batch, hidden] and the final states [directions, batch, hidden], in the node's
/// layout.
Values in_layout(NodeContext& node, const Cell& cell, Values outputs) {
  if (!cell.batch_first) return outputs;
  outputs[0] = transpose(node, outputs[0], {2, 0, 1, 3});
  for (std::size_t i = 1; i < outputs.size(); ++i) outputs[i] = transpose(node, outputs[i], {1, 0, 2});
  return outputs;
}

bool is_native(const NodeContext& node, const Cell& cell) {
  if (cell.peepholes) return false;
  if (cell.lengths && !cell.x.shape().is_static() && node.target().has(Fault::dynamic_sequence_lengths)) {
    return false;
  }
  // One list of activations for all directions, and no parameters that differ between them.
  const std::size_t per_direction = cell.activations.size() / static_cast<std::size_t>(cell.directions);
  for (std::size_t i = 0; i < cell.activations.size(); ++i) {
    const Activation& activation = cell.activations[i];
    if (activation.name != cell.activations[i % per_direction].name) return false;
    if (activation.name != "sigmoid" && activation.name != "tanh" && activation.name != "relu") return false;
  }
  return true;
}

/// A final state; zeros after zero steps, as in onnxruntime.
Value after_steps(NodeContext& node, const Cell& cell, Value state) {
  if (cell.x.shape()[0].min > 0 || !node.target().has(Fault::zero_step_states)) return state;
  const Value any = node.op(ops::NotEqual, {dimension_of(node, cell.x, 0), node.integer(0)});
  return node.op(ops::Select, {any, state, node.number_like(0, state)});
}

Values native(NodeContext& node, const Cell& cell, ir::Op op, const std::vector<std::int64_t>& gate_order,
              Value bias, AttributeList more) {
  const Value x = transpose(node, cell.x, {1, 0, 2});
  Values inputs{x};
  for (const Value& state : cell.initial) inputs.push_back(transpose(node, state, {1, 0, 2}));
  Value lengths = cell.lengths;
  if (!lengths) {
    const Value steps = convert(node, dimension_of(node, cell.x, 0), ElementType::i32);
    lengths = broadcast_to(node, steps, dimension_of(node, cell.x, 1));
  }
  inputs.push_back(lengths);
  inputs.push_back(reordered(node, cell, cell.w, gate_order));
  inputs.push_back(reordered(node, cell, cell.r, gate_order));
  inputs.push_back(bias);
  std::vector<std::string> names;
  const std::size_t per_direction = cell.activations.size() / static_cast<std::size_t>(cell.directions);
  for (std::size_t i = 0; i < per_direction; ++i) names.push_back(cell.activations[i].name);
  std::vector<ir::Attribute> attributes{{"direction", cell.direction},
                                        {"hidden_size", cell.hidden},
                                        {"activations", names},
                                        {"activations_alpha", std::vector<double>{}},
                                        {"activations_beta", std::vector<double>{}},
                                        {"clip", cell.clip}};
  attributes.insert(attributes.end(), more.begin(), more.end());
  ir::Node& sequence = node.node(op, inputs, attributes);
  Values outputs{transpose(node, sequence.value(0), {2, 1, 0, 3})};
  for (std::size_t i = 1; i < sequence.outputs().size(); ++i) {
    outputs.push_back(after_steps(node, cell, transpose(node, sequence.value(i), {1, 0, 2})));
  }
  return outputs;
}

/// One step: computes the next states from the present ones. `x` is X_t * W^T + w_bias, `r` is [hidden, gates
/// * hidden].
using Step = std::function<Values(Builder& body, Value x, const Values& states, Value r, Value r_bias,
                                  Value peepholes, std::span<const Activation> activations)>;

/// All steps of one direction as a Loop.
LoopOutputs run_direction(NodeContext& node, const Cell& cell, std::int64_t direction, const Step& step) {
  const auto of_direction = [&](Value value) { return gather(node, value, node.integer(direction)); };
  const bool backwards = cell.direction == "reverse" || direction == 1;
  const Value steps = reshape(node, dimension_of(node, cell.x, 0), std::vector<std::int64_t>{});
  Value lengths = cell.lengths;
  if (!lengths) {
    const Value count = convert(node, dimension_of(node, cell.x, 0), ElementType::i32);
    lengths = broadcast_to(node, count, dimension_of(node, cell.x, 1));
  }
  const auto turned = [&](Value value) {
    return node.op(ops::ReverseSequence, {value, lengths}, {{"batch_axis", 1}, {"seq_axis", 0}});
  };
  const Value x = backwards ? turned(cell.x) : cell.x;
  Value xw = node.op(ops::MatMul, {x, of_direction(cell.w)}, {{"transpose_a", false}, {"transpose_b", true}});
  xw = node.op(ops::Add, {xw, of_direction(cell.w_bias)});
  Values initial;
  for (const Value& state : cell.initial) initial.push_back(of_direction(state));
  Values invariants{xw, of_direction(cell.r), of_direction(cell.r_bias), lengths};
  if (cell.peepholes) invariants.push_back(of_direction(cell.peepholes));
  const std::size_t per_direction = cell.activations.size() / static_cast<std::size_t>(cell.directions);
  const std::span activations(cell.activations.data() + static_cast<std::size_t>(direction) * per_direction,
                              per_direction);
  LoopOutputs result =
      iterate(node, steps, initial, invariants,
              [&](Builder& body, Value iteration, const Values& states, const Values& values) {
                Values next = step(body, gather(body, values[0], iteration), states, values[1], values[2],
                                   values.size() > 4 ? values[4] : Value{}, activations);
                Value row = next[0];
                if (cell.lengths) {
                  // After its end, a sequence keeps its state and outputs zeros.
                  const Value time = convert(body, iteration, ElementType::i32);
                  const Value running = unsqueeze(body, body.op(ops::Less, {time, values[3]}), {1});
                  for (std::size_t i = 0; i < next.size(); ++i)
                    next[i] = body.op(ops::Select, {running, next[i], states[i]});
                  row = body.op(ops::Select, {running, row, body.number_like(0, row)});
                }
                return Iteration{next, {row}};
              });
  if (backwards) result.scans[0] = turned(result.scans[0]);
  return result;
}

Values decomposed(NodeContext& node, const Cell& cell, const Step& step) {
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

Value product(Builder& body, Value a, Value b) {
  return body.op(ops::MatMul, {a, b}, {{"transpose_a", false}, {"transpose_b", true}});
}

Values lstm_1(NodeContext& node) {
  Cell cell = read_cell(node, 4, 2, {"Sigmoid", "Tanh", "Tanh"});
  cell.peepholes = node.optional_input(7);
  const bool coupled = node.integer("input_forget", 0) != 0;
  if (is_native(node, cell) && !coupled) {
    // The order of gates is i, o, f, c in ONNX, and f, i, c, o in OpenVINO.
    const std::vector<std::int64_t> order{2, 0, 3, 1};
    const Value bias = reordered(node, cell, node.op(ops::Add, {cell.w_bias, cell.r_bias}), order);
    return in_layout(node, cell, native(node, cell, ops::LSTMSequence, order, bias, {}));
  }
  const Step step = [&](Builder& body, Value x, const Values& states, Value r, Value r_bias, Value peepholes,
                        std::span<const Activation> activations) -> Values {
    const Value sums = body.op(ops::Add, {body.op(ops::Add, {x, product(body, states[0], r)}), r_bias});
    const auto gate = [&](std::int64_t index, std::int64_t peephole, Value cell_state) {
      Value sum = gate_block(body, cell, sums, index);
      if (peepholes && peephole >= 0) {
        sum =
            body.op(ops::Add,
                    {sum, body.op(ops::Multiply, {gate_block(body, cell, peepholes, peephole), cell_state})});
      }
      return clipped(body, cell, sum);
    };
    // The order of peepholes is i, o, f.
    const Value i = activated(node, body, activations[0], gate(0, 0, states[1]));
    const Value f = coupled ? body.op(ops::Subtract, {body.number_like(1, i), i})
                            : activated(node, body, activations[0], gate(2, 2, states[1]));
    const Value c = activated(node, body, activations[1], gate(3, -1, {}));
    const Value next =
        body.op(ops::Add, {body.op(ops::Multiply, {f, states[1]}), body.op(ops::Multiply, {i, c})});
    const Value o = activated(node, body, activations[0], gate(1, 1, next));
    return {body.op(ops::Multiply, {o, activated(node, body, activations[2], next)}), next};
  };
  return in_layout(node, cell, decomposed(node, cell, step));
}

Values gru_1(NodeContext& node) {
  const Cell cell = read_cell(node, 3, 1, {"Sigmoid", "Tanh"});
  const bool linear_before_reset = node.integer("linear_before_reset", 0) != 0;
  if (is_native(node, cell)) {
    const std::vector<std::int64_t> order{0, 1, 2};
    Value bias = node.op(ops::Add, {cell.w_bias, cell.r_bias});
    if (linear_before_reset) {
      const auto part = [&](Value value, std::int64_t first, std::int64_t last) {
        return slice(node, value, first * cell.hidden, last * cell.hidden, 1);
      };
      bias = concat(node, {part(bias, 0, 2), part(cell.w_bias, 2, 3), part(cell.r_bias, 2, 3)}, 1);
    }
    return in_layout(
        node, cell,
        native(node, cell, ops::GRUSequence, order, bias, {{"linear_before_reset", linear_before_reset}}));
  }
  const Step step = [&](Builder& body, Value x, const Values& states, Value r, Value r_bias, Value,
                        std::span<const Activation> activations) -> Values {
    const auto rows = [&](std::int64_t first, std::int64_t last) {
      return slice(body, r, first * cell.hidden, last * cell.hidden, 0);
    };
    const auto gate = [&](std::int64_t index) {
      const Value recurrent = body.op(ops::Add, {product(body, states[0], rows(index, index + 1)),
                                                 gate_block(body, cell, r_bias, index)});
      const Value sum = body.op(ops::Add, {gate_block(body, cell, x, index), recurrent});
      return activated(node, body, activations[0], clipped(body, cell, sum));
    };
    const Value z = gate(0);
    const Value reset = gate(1);
    Value recurrent;
    if (linear_before_reset) {
      const Value linear =
          body.op(ops::Add, {product(body, states[0], rows(2, 3)), gate_block(body, cell, r_bias, 2)});
      recurrent = body.op(ops::Multiply, {reset, linear});
    } else {
      const Value gated = body.op(ops::Multiply, {reset, states[0]});
      recurrent = body.op(ops::Add, {product(body, gated, rows(2, 3)), gate_block(body, cell, r_bias, 2)});
    }
    const Value sum = body.op(ops::Add, {gate_block(body, cell, x, 2), recurrent});
    const Value h = activated(node, body, activations[1], clipped(body, cell, sum));
    const Value rest = body.op(ops::Subtract, {body.number_like(1, z), z});
    return {body.op(ops::Add, {body.op(ops::Multiply, {rest, h}), body.op(ops::Multiply, {z, states[0]})})};
  };
  return in_layout(node, cell, decomposed(node, cell, step));
}

Values rnn_1(NodeContext& node) {
  const Cell cell = read_cell(node, 1, 1, {"Tanh"});
  if (is_native(node, cell)) {
    const Value bias = node.op(ops::Add, {cell.w_bias, cell.r_bias});
    return in_layout(node, cell, native(node, cell, ops::RNNSequence, {0}, bias, {}));
  }
  const Step step = [&](Builder& body, Value x, const Values& states, Value r, Value r_bias, Value,
                        std::span<const Activation> activations) -> Values {
    const Value sum = body.op(ops::Add, {body.op(ops::Add, {x, product(body, states[0], r)}), r_bias});
    return {activated(node, body, activations[0], clipped(body, cell, sum))};
  };
  return in_layout(node, cell, decomposed(node, cell, step));
}

}  // namespace

std::vector<TranslatorRow> recurrent_translators() {
  return {
      {"LSTM", 1, lstm_1},
      {"GRU", 1, gru_1},
      {"RNN", 1, rnn_1},
  };
}

}  // namespace onnx2ir::frontend
