#include "passes/analysis/foldable.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ir/control_flow.hpp"
#include "passes/analysis/dequantized_weights.hpp"

namespace onnx2ir::passes {
namespace {

bool is_computed(ir::Value value) {
  const ir::Node& node = *value.node;
  return node.constant() == nullptr && !node.is(ops::Parameter) && !node.is(ops::Result) &&
         !node.op().traits.is_volatile && !widens_zero_point(node) && !computes_weights(node);
}

/// Operations that all releases fold, so that their results are constants for the plugin. An operation that
/// is missing here only causes an unnecessary copy.
constexpr ir::OperationSet kFolded{
    ops::Abs,        ops::Add,        ops::Broadcast, ops::Clamp,      ops::Concat,       ops::Convert,
    ops::Cos,        ops::Divide,     ops::Equal,     ops::Erf,        ops::Exp,          ops::FakeQuantize,
    ops::Floor,      ops::FloorMod,   ops::Gather,    ops::Greater,    ops::Less,         ops::Log,
    ops::LogicalAnd, ops::LogicalNot, ops::LogicalOr, ops::MatMul,     ops::Maximum,      ops::Minimum,
    ops::Multiply,   ops::Negative,   ops::NotEqual,  ops::Pad,        ops::Power,        ops::Range,
    ops::ReduceMax,  ops::ReduceMean, ops::ReduceMin, ops::ReduceProd, ops::ReduceSum,    ops::ReLU,
    ops::Reshape,    ops::Select,     ops::ShapeOf,   ops::Sigmoid,    ops::Sign,         ops::Sin,
    ops::Slice,      ops::SoftMax,    ops::Split,     ops::Sqrt,       ops::Squeeze,      ops::Subtract,
    ops::Tanh,       ops::Tile,       ops::Transpose, ops::Unsqueeze,  ops::VariadicSplit};

/// Whether the operation computes integers or booleans without an error for all operands: the division of
/// integers by 0, and of the least one by -1, ends the process.
bool computes_any_integers(const ir::Node& node) {
  if (node.is_one_of({ops::Divide, ops::Mod, ops::FloorMod})) {
    const auto divisor = ir::known_scalar(node.input(1));
    return divisor && *divisor != 0 && *divisor != -1;
  }
  if (node.is(ops::Power)) return false;
  return node.op().traits.broadcasts ||
         node.is_one_of({ops::Convert, ops::Negative, ops::Abs, ops::LogicalNot});
}

}  // namespace

bool is_captured_constant(const ir::Node& node, const ir::Invariant& invariant) {
  return node.input(invariant.input).node->constant() != nullptr && invariant.parameter->has_uses();
}

bool captures_constant(ir::Node& node) {
  return std::ranges::any_of(ir::bodies(node), [&](const ir::Body* body) {
    return std::ranges::any_of(body->invariants, [&](const ir::Invariant& invariant) {
      return is_captured_constant(node, invariant);
    });
  });
}

std::optional<ir::ConstantData> foldable_elements(ir::Value value) {
  const ir::Output& output = value.node->output(value.index);
  const bool may_be_known =
      output.known != nullptr || (output.shape.has(0) && output.shape.element_count() == 0);
  if (!may_be_known || !is_computed(value) || output.uses.empty()) return std::nullopt;
  // A constant of strings has a header even if there are no elements.
  if (output.type == ir::ElementType::string || !output.shape.sizes()) return std::nullopt;
  if (output.shape.element_count() == 0) return ir::ConstantData();
  if (ir::is_floating(output.type)) {
    const auto numbers = ir::exact_numbers(value);
    if (!numbers) return std::nullopt;
    return ir::encode_numbers(*numbers, output.type);
  }
  const auto integers = ir::exact_values(value);
  if (!integers) return std::nullopt;
  return ir::encode_integers(*integers, output.type);
}

ir::Branch* known_branch(ir::Node& if_node) {
  ir::IfBranches* const branches = if_node.branches();
  if (branches == nullptr || !if_node.has_uses()) return nullptr;
  const auto condition = ir::known_scalar(ir::IfView(if_node).condition());
  if (!condition) return nullptr;
  return *condition != 0 ? &branches->then_branch : &branches->else_branch;
}

bool is_unchanged(const ir::Carried& state) {
  return state.result->input(0) == state.parameter->value();
}

bool is_passed_through(const ir::Carried& state) {
  const ir::Node* const next = state.result->input(0).node;
  return next->is(ops::Parameter) && next != state.parameter;
}

bool may_stay_unfolded(ir::Value value) {
  constexpr std::size_t kMostNodes = 64;
  if (!ir::is_computed_from_constants(value)) return false;
  std::vector<const ir::Node*> steps = {value.node};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i]->constant() != nullptr) continue;
    if (!steps[i]->is_one_of(kFolded) || steps.size() > kMostNodes) return true;
    for (const ir::Value input : steps[i]->inputs()) steps.push_back(input.node);
  }
  return false;
}

bool never_fails(const ir::Node& node) {
  if (node.is(ops::ShapeOf)) return true;
  const auto inputs = node.inputs();
  const auto outputs = node.outputs();
  const bool shapes_fit =
      std::ranges::all_of(inputs, [](ir::Value input) { return input.shape().is_static(); }) &&
      std::ranges::all_of(outputs, [](const ir::Output& output) { return output.shape.is_static(); });
  if (!shapes_fit) return false;
  if (node.op().traits.reshapes || computes_any_integers(node)) return true;
  return std::ranges::all_of(outputs,
                             [](const ir::Output& output) { return ir::is_floating(output.type); }) &&
         std::ranges::all_of(inputs, [](ir::Value input) {
           return input.node->constant() != nullptr || ir::is_floating(input.type());
         });
}

}  // namespace onnx2ir::passes
