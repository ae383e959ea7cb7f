// Reads the inputs and attributes of recurrent nodes, and runs a node as a Loop over the steps for each
// direction.
#include <algorithm>
#include <array>

#include "base/ascii_case.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/recurrent.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

// Those of GRU and RNN have the same places.
using Input = inputs::LSTM;

/// Activations with a parameter take it from the lists in order; the defaults are those of ONNX.
std::vector<Activation> activations_of(NodeContext& node, std::int64_t directions,
                                       const std::vector<std::string>& defaults) {
  auto names = node.text_list("activations");
  if (names.empty()) {
    for (std::int64_t i = 0; i < directions; ++i) names.insert(names.end(), defaults.begin(), defaults.end());
  }
  if (names.size() != defaults.size() * static_cast<std::size_t>(directions)) {
    node.fail("activations has " + std::to_string(names.size()) + " names, " +
              std::to_string(defaults.size() * static_cast<std::size_t>(directions)) + " are needed");
  }
  const auto alphas = node.real_list("activation_alpha");
  const auto betas = node.real_list("activation_beta");
  std::vector<Activation> result;
  std::size_t alpha = 0;
  std::size_t beta = 0;
  for (const std::string& name : names) {
    Activation activation{base::lower_case(name), std::nullopt, std::nullopt};
    const auto is_one_of = [&](std::initializer_list<std::string_view> list) {
      return std::find(list.begin(), list.end(), activation.name) != list.end();
    };
    if (is_one_of({"affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu"})) {
      if (alpha < alphas.size()) activation.alpha = alphas[alpha++];
    }
    if (is_one_of({"affine", "scaledtanh", "hardsigmoid"}) && beta < betas.size())
      activation.beta = betas[beta++];
    result.push_back(std::move(activation));
  }
  return result;
}

std::string read_direction(NodeContext& node) {
  std::string direction = base::lower_case(node.text_attribute("direction", "forward"));
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    node.fail("direction '" + direction + "' does not exist");
  }
  return direction;
}

/// The hidden size: an attribute, or that of R.
std::int64_t read_hidden_size(NodeContext& node, Value r) {
  const ir::Dimension of_weights = node.rank(r) == 3 ? r.shape()[2] : ir::Dimension();
  const std::int64_t hidden = node.integer_attribute("hidden_size", of_weights.size());
  if (hidden <= 0) node.fail("the hidden size is not known");
  // So that products with gates and directions fit into 32 bits.
  constexpr std::int64_t kMaxHidden = std::int64_t{1} << 28;
  if (hidden > kMaxHidden) node.fail("a hidden size of " + std::to_string(hidden) + " is not supported");
  return hidden;
}

/// Sequence operations require static weight shapes, which follow from the hidden size.
Value set_weight_sizes(NodeContext& node, const Cell& cell, Value weights, std::int64_t columns) {
  if (weights.shape().is_static()) return weights;
  return reshape(node, weights,
                 std::vector<std::int64_t>{cell.directions, cell.gates * cell.hidden, columns});
}

void read_biases(NodeContext& node, Cell& cell) {
  const std::int64_t half = cell.gates * cell.hidden;
  if (node.has_input(Input::B)) {
    cell.w_bias = slice(node, node.input(Input::B), 0, half, 1);
    cell.r_bias = slice(node, node.input(Input::B), half, 2 * half, 1);
  } else {
    cell.w_bias = fill(node, 0, cell.x.type(), node.integers({cell.directions, half}));
    cell.r_bias = cell.w_bias;
  }
}

/// The initial state of input `index`; zeros if it is absent.
Value read_initial_state(NodeContext& node, const Cell& cell, std::size_t index) {
  if (node.has_input(index)) {
    const Value state = node.input(index);
    return cell.batch_first ? transpose(node, state, {1, 0, 2}) : state;
  }
  const Value directions = node.integers({cell.directions});
  const Value batch = dimension_of(node, cell.x, 1);
  const Value shape = concat(node, {directions, batch, node.integers({cell.hidden})});
  return fill(node, 0, cell.x.type(), shape);
}

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

Value activate(NodeContext& node, Builder& builder, const Activation& activation, Value value) {
  const auto number = [&](double constant) { return builder.number_like(constant, value); };
  const std::string& name = activation.name;
  if (name == "sigmoid") return builder.op(ops::Sigmoid, {value});
  if (name == "tanh") return builder.op(ops::Tanh, {value});
  if (name == "relu") return builder.op(ops::ReLU, {value});
  if (name == "softsign") return builder.op(ops::SoftSign, {value});
  if (name == "softplus") return builder.op(ops::SoftPlus, {value});
  if (name == "elu") return builder.op(ops::Elu, {value}, {{"alpha", activation.alpha.value_or(1.0)}});
  if (name == "hardsigmoid") {
    return builder.op(ops::HardSigmoid,
                      {value, number(activation.alpha.value_or(0.2)), number(activation.beta.value_or(0.5))});
  }
  if (name == "leakyrelu")
    return builder.op(ops::PReLU,
                      {value, builder.numbers(std::array{activation.alpha.value_or(0.01)}, value.type())});
  if (name == "affine") {
    const Value scaled = builder.op(ops::Multiply, {value, number(activation.alpha.value_or(1.0))});
    return builder.op(ops::Add, {scaled, number(activation.beta.value_or(0.0))});
  }
  if (name == "scaledtanh") {
    const Value inner = builder.op(ops::Multiply, {value, number(activation.beta.value_or(1.0))});
    return builder.op(ops::Multiply,
                      {builder.op(ops::Tanh, {inner}), number(activation.alpha.value_or(1.0))});
  }
  if (name == "thresholdedrelu") {
    const Value above = builder.op(ops::Greater, {value, number(activation.alpha.value_or(1.0))});
    return builder.op(ops::Select, {above, value, number(0)});
  }
  node.fail("activation '" + activation.name + "' does not exist");
}

Cell read_cell(NodeContext& node, std::int64_t gates, std::size_t states,
               const std::vector<std::string>& defaults) {
  Cell cell{};
  cell.gates = gates;
  cell.direction = read_direction(node);
  cell.directions = cell.direction == "bidirectional" ? 2 : 1;
  cell.batch_first = node.flag_attribute("layout");
  cell.clip = node.real_attribute("clip", 0.0);
  cell.x = node.input(Input::X);
  if (cell.batch_first) cell.x = transpose(node, cell.x, {1, 0, 2});
  cell.w = node.input(Input::W);
  cell.r = node.input(Input::R);
  cell.hidden = read_hidden_size(node, cell.r);
  cell.activations = activations_of(node, cell.directions, defaults);
  cell.w = set_weight_sizes(node, cell, cell.w, -1);
  cell.r = set_weight_sizes(node, cell, cell.r, cell.hidden);
  read_biases(node, cell);
  if (node.has_input(Input::sequence_lens))
    cell.lengths = convert(node, node.input(Input::sequence_lens), ElementType::i32);
  for (std::size_t i = 0; i < states; ++i)
    cell.initial.push_back(read_initial_state(node, cell, Input::initial_h + i));
  return cell;
}

Value reorder_gates(NodeContext& node, const Cell& cell, Value value,
                    const std::vector<std::int64_t>& order) {
  if (std::ranges::is_sorted(order)) return value;
  // OpenVINO folds a Gather of blocks as fast as it copies them. Slices of 4 MB and a Concat take 25 ms more.
  const auto gates = static_cast<std::int64_t>(order.size());
  std::vector<std::int64_t> blocks{0, gates, cell.hidden};
  std::vector<std::int64_t> merged{0, gates * cell.hidden};
  if (value.shape().has_rank(3)) {
    const std::int64_t columns = value.shape()[2].is_static() ? value.shape()[2].size() : -1;
    blocks.push_back(columns);
    merged.push_back(columns);
  }
  const Value separate = reshape_keeping(node, value, blocks);
  const Value reordered = gather(node, separate, node.integers(order), 1);
  return reshape_keeping(node, reordered, merged);
}

Value clip_value(Builder& body, const Cell& cell, Value value) {
  return cell.clip > 0 ? body.op(ops::Clamp, {value}, {{"min", -cell.clip}, {"max", cell.clip}}) : value;
}

Value take_gate(Builder& body, const Cell& cell, Value value, std::int64_t index) {
  const std::int64_t axis = static_cast<std::int64_t>(value.shape().rank()) - 1;
  return slice(body, value, index * cell.hidden, (index + 1) * cell.hidden, axis);
}

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
