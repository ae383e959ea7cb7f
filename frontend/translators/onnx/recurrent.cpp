// LSTM, GRU and RNN in all versions (1, 3, 7, 14 with layout, 22).
//
// OpenVINO's sequence operations if they are equivalent, otherwise a Loop over the steps: for peepholes,
// coupled gates, activations with parameters, and quantised products.
#include "frontend/translators/onnx/recurrent.hpp"

#include <algorithm>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "target/faults.hpp"

namespace onnx2ir::frontend {
namespace {

// Those of GRU and RNN have the same places.
using Input = inputs::LSTM;
using Output = outputs::LSTM;

/// Y [steps, directions, batch, hidden] and the final states [directions, batch, hidden], in the node's
/// layout.
Values restore_layout(NodeContext& node, const Cell& cell, Values outputs) {
  if (!cell.batch_first) return outputs;
  outputs[0] = transpose(node, outputs[0], {2, 0, 1, 3});
  for (std::size_t i = 1; i < outputs.size(); ++i) outputs[i] = transpose(node, outputs[i], {1, 0, 2});
  return outputs;
}

/// Whether the plugin ignores the lengths of the sequences. A row could not see in the body of a Loop, which
/// captures the lengths, whether they are those of all steps.
bool ignores_lengths(const NodeContext& node, const Cell& cell) {
  if (!cell.lengths || !node.target().has(Fault::dynamic_sequence_lengths)) return false;
  const auto is_dynamic = [](Value value) { return !value.shape().is_static(); };
  return is_dynamic(cell.x) || is_dynamic(cell.lengths) || std::ranges::any_of(cell.initial, is_dynamic);
}

bool is_native(const NodeContext& node, const Cell& cell) {
  if (cell.peepholes) return false;
  // One list of activations for all directions, and no parameters that differ between them.
  const std::size_t per_direction = cell.activations.size() / static_cast<std::size_t>(cell.directions);
  for (std::size_t i = 0; i < cell.activations.size(); ++i) {
    const Activation& activation = cell.activations[i];
    if (activation.name != cell.activations[i % per_direction].name) return false;
    if (activation.name != "sigmoid" && activation.name != "tanh" && activation.name != "relu") return false;
  }
  // Otherwise run_over_all_steps() cannot compute the final cell state.
  const bool can_keep_cell_state = cell.activations[0].name == "sigmoid" && cell.clip <= 0;
  return can_keep_cell_state || !ignores_lengths(node, cell) || !node.has_output(Output::Y_c);
}

/// A sequence operation in the layout of OpenVINO: X [batch, steps, input], states [batch, directions,
/// hidden].
struct SequenceOperation {
  ir::Op op;
  std::string direction;
  Value x;
  Values initial;
  Value lengths;
  Values weights;  ///< W, R and B
  std::vector<ir::Attribute> attributes;
};

/// Y [batch, directions, steps, hidden] and the final states [batch, directions, hidden].
Values emit(NodeContext& node, const Cell& cell, const SequenceOperation& sequence) {
  Values inputs{sequence.x};
  for (const Value& state : sequence.initial) inputs.push_back(state);
  inputs.push_back(sequence.lengths);
  for (const Value& weights : sequence.weights) inputs.push_back(weights);
  std::vector<std::string> names;
  const std::size_t per_direction = cell.activations.size() / static_cast<std::size_t>(cell.directions);
  for (std::size_t i = 0; i < per_direction; ++i) names.push_back(cell.activations[i].name);
  std::vector<ir::Attribute> attributes{{"direction", sequence.direction},
                                        {"hidden_size", cell.hidden},
                                        {"activations", names},
                                        {"activations_alpha", std::vector<double>{}},
                                        {"activations_beta", std::vector<double>{}},
                                        {"clip", cell.clip}};
  attributes.insert(attributes.end(), sequence.attributes.begin(), sequence.attributes.end());
  return node.node(sequence.op, inputs, attributes).values();
}

/// Makes the LSTM keep its cell state after the end of a sequence. There, one more column of X is 1; its
/// weights open the forget gate and close the input gate. The sigmoids are 1 and 0 exactly.
void keep_cell_state(NodeContext& node, const Cell& cell, SequenceOperation& sequence, Value runs) {
  constexpr double kSaturates = 30000;  // fits into f16
  const Value zero = node.number_like(0, sequence.x);
  const Value ended = convert(node, node.op(ops::LogicalNot, {runs}), sequence.x.type());
  // 0 * NaN is NaN: what the elements after the end are must not matter.
  sequence.x = concat(node, {node.op(ops::Select, {runs, sequence.x, zero}), ended}, 2);
  const auto block = [&](double weight) {
    return fill(node, weight, zero.type(), node.integers({cell.directions, cell.hidden, 1}));
  };
  const Value unchanged = block(0);
  const Value forget = block(kSaturates);
  const Value column = concat(node, {forget, block(-kSaturates), unchanged, unchanged}, 1);
  sequence.weights[0] = concat(node, {sequence.weights[0], column}, 2);
}

/// Workaround for dynamic_sequence_lengths: all sequences run to the end. Y after the end of a sequence
/// becomes 0, and the final states are those at its end.
Values run_over_all_steps(NodeContext& node, const Cell& cell, SequenceOperation sequence) {
  const Value lengths = cell.lengths;
  const Value times = convert(node, emit_range(node, dimension_of(node, cell.x, 0)), ElementType::i32);
  const Value ends = unsqueeze(node, lengths, {1});
  const Value runs = node.op(ops::Less, {times, ends});  // [batch, steps]
  const bool keeps_cell_state = cell.initial.size() > 1 && node.has_output(Output::Y_c);
  if (keeps_cell_state) keep_cell_state(node, cell, sequence, unsqueeze(node, runs, {2}));
  sequence.lengths = emit_all_steps(node, cell);
  // The plugin's ReverseSequence takes much longer than a Gather.
  const Value to_end = node.op(ops::Subtract, {ends, times});
  const Value mirrored = node.op(ops::Subtract, {to_end, node.integer(1, ElementType::i32)});
  const Value order = node.op(ops::Select, {runs, mirrored, times});
  const auto reverse_steps = [&](Value value, std::int64_t axis) {
    return gather_in_rows(node, value, order, axis);
  };
  std::vector<Values> parts(3);  // by output
  for (std::int64_t direction = 0; direction < cell.directions; ++direction) {
    SequenceOperation one = sequence;
    one.direction = "forward";
    if (cell.directions > 1) {
      for (Value& state : one.initial) state = slice(node, state, direction, direction + 1, 1);
      for (Value& weights : one.weights) weights = slice(node, weights, direction, direction + 1, 0);
    }
    const bool backwards = cell.direction == "reverse" || direction == 1;
    if (backwards) one.x = reverse_steps(one.x, 1);
    const Values outputs = emit(node, cell, one);
    const Value y = outputs[0];
    parts[0].push_back(backwards ? reverse_steps(y, 2) : y);
    // The row before the first step is the final state of sequences without steps: zeros, as in onnxruntime.
    const Value before = node.integers({0, 0, 1, 0});
    const Value padded = pad_with(node, y, before, node.integers({0, 0, 0, 0}));
    const Value last = gather_in_rows(node, padded, ends, 2);
    parts[1].push_back(squeeze(node, last, {2}));
    if (keeps_cell_state) parts[2].push_back(outputs[2]);
  }
  Values outputs{concat(node, parts[0], 1), concat(node, parts[1], 1)};
  outputs[0] =
      node.op(ops::Select, {unsqueeze(node, runs, {1, 3}), outputs[0], node.number_like(0, outputs[0])});
  if (keeps_cell_state) {
    outputs.push_back(zero_without_steps(node, lengths, concat(node, parts[2], 1), {1, 2}));
  }
  return outputs;
}

/// A final state [batch, directions, hidden]. After zero steps, OpenVINO gives the initial state, if the node
/// has one, and onnxruntime zeros.
Value zero_without_steps(NodeContext& node, const Cell& cell, Value state, bool has_initial_state) {
  if (cell.x.shape()[0].min > 0 || !has_initial_state) return state;
  const Value any = node.op(ops::NotEqual, {dimension_of(node, cell.x, 0), node.integer(0)});
  return node.op(ops::Select, {any, state, node.number_like(0, state)});
}

Values emit_native(NodeContext& node, const Cell& cell, ir::Op op,
                   const std::vector<std::int64_t>& gate_order, Value bias, AttributeList more) {
  SequenceOperation sequence;
  sequence.op = op;
  sequence.direction = cell.direction;
  sequence.x = transpose(node, cell.x, {1, 0, 2});
  for (const Value& state : cell.initial) sequence.initial.push_back(transpose(node, state, {1, 0, 2}));
  sequence.lengths = cell.lengths ? cell.lengths : emit_all_steps(node, cell);
  sequence.weights.push_back(reorder_gates(node, cell, cell.w, gate_order));
  sequence.weights.push_back(reorder_gates(node, cell, cell.r, gate_order));
  sequence.weights.push_back(bias);
  sequence.attributes.assign(more.begin(), more.end());
  const bool is_masked = ignores_lengths(node, cell);
  const Values emitted =
      is_masked ? run_over_all_steps(node, cell, std::move(sequence)) : emit(node, cell, sequence);
  Values outputs{transpose(node, emitted[0], {2, 1, 0, 3})};
  for (std::size_t i = 1; i < emitted.size(); ++i) {
    const Value state =
        is_masked ? emitted[i]
                  : zero_without_steps(node, cell, emitted[i], node.has_input(Input::initial_h + i - 1));
    outputs.push_back(transpose(node, state, {1, 0, 2}));
  }
  return outputs;
}

Values gru_1(NodeContext& node) {
  const Cell cell = read_cell(node, 3, 1, {"Sigmoid", "Tanh"});
  const bool linear_before_reset = node.flag_attribute("linear_before_reset");
  if (is_native(node, cell)) {
    const std::vector<std::int64_t> order{0, 1, 2};
    Value bias = node.op(ops::Add, {cell.w_bias, cell.r_bias});
    if (linear_before_reset) {
      const auto part = [&](Value value, std::int64_t first, std::int64_t last) {
        return slice(node, value, first * cell.hidden, last * cell.hidden, 1);
      };
      bias = concat(node, {part(bias, 0, 2), part(cell.w_bias, 2, 3), part(cell.r_bias, 2, 3)}, 1);
    }
    return restore_layout(node, cell,
                          emit_native(node, cell, ops::GRUSequence, order, bias,
                                      {{"linear_before_reset", linear_before_reset}}));
  }
  const Step step = [&](Builder& body, const StepValues& at) -> Values {
    const auto project = [&](Value state, std::int64_t index) {
      const Value weights = slice(body, at.r, index * cell.hidden, (index + 1) * cell.hidden, 0);
      const Value product = mat_mul(body, state, weights, {.b = true});
      return body.op(ops::Add, {product, take_gate(body, cell, at.r_bias, index)});
    };
    const auto gate = [&](std::int64_t index, Value recurrent, const Activation& activation) {
      const Value sum = body.op(ops::Add, {take_gate(body, cell, at.x, index), recurrent});
      return activate(node, body, activation, clip_value(body, cell, sum));
    };
    const Value z = gate(0, project(at.states[0], 0), at.activations[0]);
    const Value reset = gate(1, project(at.states[0], 1), at.activations[0]);
    const Value recurrent = linear_before_reset ? body.op(ops::Multiply, {reset, project(at.states[0], 2)})
                                                : project(body.op(ops::Multiply, {reset, at.states[0]}), 2);
    const Value h = gate(2, recurrent, at.activations[1]);
    const Value rest = body.op(ops::Subtract, {body.number_like(1, z), z});
    return {
        body.op(ops::Add, {body.op(ops::Multiply, {rest, h}), body.op(ops::Multiply, {z, at.states[0]})})};
  };
  return restore_layout(node, cell, run_in_loops(node, cell, step));
}

Values rnn_1(NodeContext& node) {
  const Cell cell = read_cell(node, 1, 1, {"Tanh"});
  if (is_native(node, cell)) {
    const Value bias = node.op(ops::Add, {cell.w_bias, cell.r_bias});
    return restore_layout(node, cell, emit_native(node, cell, ops::RNNSequence, {0}, bias, {}));
  }
  const Step step = [&](Builder& body, const StepValues& at) -> Values {
    const Value sum = body.op(
        ops::Add, {body.op(ops::Add, {at.x, mat_mul(body, at.states[0], at.r, {.b = true})}), at.r_bias});
    return {activate(node, body, at.activations[0], clip_value(body, cell, sum))};
  };
  return restore_layout(node, cell, run_in_loops(node, cell, step));
}

Values lstm_1(NodeContext& node) {
  return translate_lstm(node, {});
}

}  // namespace

Values translate_lstm(NodeContext& node, const QuantizedProducts& products) {
  Cell cell = read_cell(node, 4, 2, {"Sigmoid", "Tanh", "Tanh"});
  cell.peepholes = node.optional_input(Input::P);
  cell.products = products;
  const bool coupled = node.flag_attribute("input_forget");
  if (is_native(node, cell) && !coupled && !products.by_r) {
    // The order of gates is i, o, f, c in ONNX, and f, i, c, o in OpenVINO.
    const std::vector<std::int64_t> order{2, 0, 3, 1};
    const Value bias = reorder_gates(node, cell, node.op(ops::Add, {cell.w_bias, cell.r_bias}), order);
    return restore_layout(node, cell, emit_native(node, cell, ops::LSTMSequence, order, bias, {}));
  }
  cell.w_bias = node.op(ops::Add, {cell.w_bias, cell.r_bias});  // one sum less in each step
  const Step step = [&](Builder& body, const StepValues& at) -> Values {
    const Value recurrent = products.by_r ? products.by_r(body, at.states[0], at.direction)
                                          : mat_mul(body, at.states[0], at.r, {.b = true});
    const Value sums = body.op(ops::Add, {at.x, recurrent});
    const auto gate = [&](std::int64_t index, std::int64_t peephole, Value cell_state) {
      Value sum = take_gate(body, cell, sums, index);
      if (at.peepholes && peephole >= 0) {
        const Value weights = take_gate(body, cell, at.peepholes, peephole);
        sum = body.op(ops::Add, {sum, body.op(ops::Multiply, {weights, cell_state})});
      }
      return clip_value(body, cell, sum);
    };
    // The order of peepholes is i, o, f.
    const Value i = activate(node, body, at.activations[0], gate(0, 0, at.states[1]));
    const Value f = coupled ? body.op(ops::Subtract, {body.number_like(1, i), i})
                            : activate(node, body, at.activations[0], gate(2, 2, at.states[1]));
    const Value c = activate(node, body, at.activations[1], gate(3, -1, {}));
    const Value next =
        body.op(ops::Add, {body.op(ops::Multiply, {f, at.states[1]}), body.op(ops::Multiply, {i, c})});
    const Value o = activate(node, body, at.activations[0], gate(1, 1, next));
    return {body.op(ops::Multiply, {o, activate(node, body, at.activations[2], next)}), next};
  };
  return restore_layout(node, cell, run_in_loops(node, cell, step));
}

std::vector<TranslatorRow> recurrent_translators() {
  return {
      {"LSTM", 1, lstm_1},
      {"GRU", 1, gru_1},
      {"RNN", 1, rnn_1},
  };
}

}  // namespace onnx2ir::frontend
