// ai.onnx.preview.training: one step of an optimiser. The inputs are the learning rate R, the update count T,
// and then groups: all tensors, all gradients, all states of the first kind, and so on. The outputs have the
// same groups without the gradients.
#include <array>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "frontend/translators/onnx_training/operands.hpp"

namespace onnx2ir::frontend {
namespace {

using Input = inputs::preview_training::Adam;

/// The groups of `inputs`.
struct Group {
  enum : std::size_t { tensors, gradients, first_states, second_states };
};

/// Elementwise arithmetic with operators. At most one operand of an operator may emit operations: C++ does
/// not say which operand is evaluated first.
class Formula {
 public:
  Formula(NodeContext& node, Value value) : node_(&node), value_(value) {}
  Value value() const { return value_; }

  friend Formula operator+(Formula a, Formula b) { return a.with(ops::Add, b); }
  friend Formula operator-(Formula a, Formula b) { return a.with(ops::Subtract, b); }
  friend Formula operator*(Formula a, Formula b) { return a.with(ops::Multiply, b); }
  friend Formula operator/(Formula a, Formula b) { return {*a.node_, divide(*a.node_, a.value_, b.value_)}; }
  friend Formula operator+(Formula a, double b) { return a + a.number(b); }
  friend Formula operator*(double a, Formula b) { return b.number(a) * b; }
  friend Formula square_root(Formula a) { return {*a.node_, a.node_->op(ops::Sqrt, {a.value_})}; }

  Formula number(double value) const { return {*node_, node_->number_like(value, value_)}; }

 private:
  Formula with(ir::Op op, Formula b) const { return {*node_, node_->op(op, {value_, b.value_})}; }

  NodeContext* node_;
  Value value_;
};

/// The outputs of `step` for each optimised tensor, in groups. The node has `inputs_each` inputs for each of
/// them; `step` gets a function that returns the one of a group.
template <typename Step>
Values for_each_tensor(NodeContext& node, std::size_t inputs_each, Step step) {
  const std::size_t inputs = node.input_count();
  if (inputs <= Input::inputs || (inputs - Input::inputs) % inputs_each != 0)
    node.fail("the number of inputs does not fit the groups of tensors, gradients and states");
  const std::size_t count = (inputs - Input::inputs) / inputs_each;
  // A gradient has no output.
  Values outputs((inputs_each - 1) * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto input = [&](std::size_t group) {
      return Formula(node, node.input(Input::inputs + group * count + i));
    };
    std::size_t group = 0;
    for (const Formula& output : step(input)) outputs[count * group++ + i] = output.value();
  }
  return outputs;
}

/// A scalar input, converted to the type of the tensors.
Formula read_scalar(NodeContext& node, std::size_t index, Value like) {
  return {node, convert(node, require_scalar(node, node.input(index), "a scalar input"), like.type())};
}

/// Whether this is the first step: T is 0.
Value emit_is_first_step(NodeContext& node) {
  const Value count = require_scalar(node, node.input(Input::T), "the update count");
  return node.op(ops::Equal, {count, node.integer(0, count.type())});
}

Values adagrad_1(NodeContext& node) {
  const double decay = node.real_attribute("decay_factor", 0);
  const double epsilon = node.real_attribute("epsilon", 1e-6F);
  const double penalty = node.real_attribute("norm_coefficient", 0);
  return for_each_tensor(node, 3, [&](auto input) {
    const Formula x = input(Group::tensors);
    const Formula updates = read_scalar(node, Input::T, x.value());
    const Formula first_rate = read_scalar(node, Input::R, x.value());
    const Formula rate = first_rate / (decay * updates + 1.0);
    const Formula gradient = penalty * x + input(Group::gradients);
    const Formula squares = input(Group::first_states) + gradient * gradient;
    const Formula step = rate * gradient;
    return std::array{x - step / (square_root(squares) + epsilon), squares};
  });
}

Values adam_1(NodeContext& node) {
  const double alpha = node.real_attribute("alpha", 0.9F);
  const double beta = node.real_attribute("beta", 0.999F);
  const double epsilon = node.real_attribute("epsilon", 1e-6F);
  const double penalty = node.real_attribute("norm_coefficient", 0);
  const double penalty_after = node.real_attribute("norm_coefficient_post", 0);
  return for_each_tensor(node, 4, [&](auto input) {
    const Formula x = input(Group::tensors);
    const Formula rate = read_scalar(node, Input::R, x.value());
    const Formula updates = read_scalar(node, Input::T, x.value());
    const Formula gradient = penalty * x + input(Group::gradients);
    const Formula kept_average = alpha * input(Group::first_states);
    const Formula average = kept_average + (1 - alpha) * gradient;
    const Formula kept_squares = beta * input(Group::second_states);
    const Formula squares = kept_squares + (1 - beta) * (gradient * gradient);
    const auto power_of = [&](double base) {
      return Formula(node, node.op(ops::Power, {x.number(base).value(), updates.value()}));
    };
    const Formula one = x.number(1);
    const Formula raised = rate * square_root(one - power_of(beta));
    const Formula corrected = raised / (one - power_of(alpha));
    const Formula used_rate(
        node, node.op(ops::Select, {emit_is_first_step(node), rate.value(), corrected.value()}));
    const Formula step = used_rate * average;
    const Formula moved = x - step / (square_root(squares) + epsilon);
    return std::array{(1 - penalty_after) * moved, average, squares};
  });
}

Values momentum_1(NodeContext& node) {
  const double alpha = node.real_attribute("alpha");
  const double beta = node.real_attribute("beta");
  const double penalty = node.real_attribute("norm_coefficient");
  const std::string mode = node.text_attribute("mode");
  if (mode != "standard" && mode != "nesterov") node.fail("attribute 'mode' must be standard or nesterov");
  return for_each_tensor(node, 3, [&](auto input) {
    const Formula x = input(Group::tensors);
    const Formula rate = read_scalar(node, Input::R, x.value());
    const Formula gradient = penalty * x + input(Group::gradients);
    // The first step uses the full gradient.
    const Formula beta_now(
        node, node.op(ops::Select, {emit_is_first_step(node), x.number(1).value(), x.number(beta).value()}));
    const Formula kept = alpha * input(Group::first_states);
    const Formula velocity = kept + beta_now * gradient;
    const Formula step = mode == "nesterov" ? gradient + alpha * velocity : velocity;
    return std::array{x - rate * step, velocity};
  });
}

}  // namespace

std::vector<TranslatorRow> training_translators() {
  return {
      {"Adagrad", 1, adagrad_1},
      {"Adam", 1, adam_1},
      {"Momentum", 1, momentum_1},
  };
}

}  // namespace onnx2ir::frontend
