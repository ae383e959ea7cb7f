#include "frontend/translators/onnx/recurrent_cell.hpp"

#include <algorithm>
#include <array>

#include "base/ascii_case.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

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
  Values blocks;
  for (const std::int64_t block : order) {
    blocks.push_back(slice(node, value, block * cell.hidden, (block + 1) * cell.hidden, 1));
  }
  return concat(node, blocks, 1);
}

Value clip_value(Builder& body, const Cell& cell, Value value) {
  return cell.clip > 0 ? body.op(ops::Clamp, {value}, {{"min", -cell.clip}, {"max", cell.clip}}) : value;
}

Value take_gate(Builder& body, const Cell& cell, Value value, std::int64_t index) {
  const std::int64_t axis = static_cast<std::int64_t>(value.shape().rank()) - 1;
  return slice(body, value, index * cell.hidden, (index + 1) * cell.hidden, axis);
}

}  // namespace onnx2ir::frontend
