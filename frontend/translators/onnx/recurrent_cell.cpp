#include "frontend/translators/onnx/recurrent_cell.hpp"

#include <algorithm>
#include <array>

#include "base/ascii_case.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

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
  using Input = inputs::LSTM;  // those of GRU and RNN have the same places
  Cell cell{};
  cell.gates = gates;
  cell.direction = base::lower_case(node.text_attribute("direction", "forward"));
  if (cell.direction != "forward" && cell.direction != "reverse" && cell.direction != "bidirectional") {
    node.fail("direction '" + cell.direction + "' does not exist");
  }
  cell.directions = cell.direction == "bidirectional" ? 2 : 1;
  cell.batch_first = node.flag_attribute("layout");
  cell.clip = node.real_attribute("clip", 0.0);
  cell.x = node.input(Input::X);
  if (cell.batch_first) cell.x = transpose(node, cell.x, {1, 0, 2});
  cell.w = node.input(Input::W);
  cell.r = node.input(Input::R);
  const ir::Dimension hidden = node.rank(cell.r) == 3 ? cell.r.shape()[2] : ir::Dimension();
  cell.hidden = node.integer_attribute("hidden_size", hidden.size());
  if (cell.hidden <= 0) node.fail("the hidden size is not known");
  constexpr std::int64_t kMaxHidden = std::int64_t{1}
                                      << 28;  // so that products with gates and directions fit into 32 bits
  if (cell.hidden > kMaxHidden) {
    node.fail("a hidden size of " + std::to_string(cell.hidden) + " is not supported");
  }
  cell.activations = activations_of(node, cell.directions, defaults);
  // Sequence operations require static weight shapes, which follow from the hidden size.
  const auto set_sizes = [&](Value weights, std::int64_t columns) {
    return weights.shape().is_static()
               ? weights
               : reshape(node, weights,
                         std::vector<std::int64_t>{cell.directions, gates * cell.hidden, columns});
  };
  cell.w = set_sizes(cell.w, -1);
  cell.r = set_sizes(cell.r, cell.hidden);
  const auto zeros = [&](std::vector<std::int64_t> shape) {
    return fill(node, 0, cell.x.type(), node.integers(shape));
  };
  if (node.has_input(Input::B)) {
    const std::int64_t half = gates * cell.hidden;
    cell.w_bias = slice(node, node.input(Input::B), 0, half, 1);
    cell.r_bias = slice(node, node.input(Input::B), half, 2 * half, 1);
  } else {
    cell.w_bias = zeros({cell.directions, gates * cell.hidden});
    cell.r_bias = cell.w_bias;
  }
  if (node.has_input(Input::sequence_lens))
    cell.lengths = convert(node, node.input(Input::sequence_lens), ElementType::i32);
  for (std::size_t i = 0; i < states; ++i) {
    if (node.has_input(Input::initial_h + i)) {
      Value state = node.input(Input::initial_h + i);
      if (cell.batch_first) state = transpose(node, state, {1, 0, 2});
      cell.initial.push_back(state);
      continue;
    }
    const Value shape = concat(node, {node.integers({cell.directions}), dimension_of(node, cell.x, 1),
                                      node.integers({cell.hidden})});
    cell.initial.push_back(fill(node, 0, cell.x.type(), shape));
  }
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
