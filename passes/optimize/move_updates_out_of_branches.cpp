// If both branches of an If append to the same value of dynamic size, or write elements of it, moves the
// update after the If. The branches then return only the elements, whose shapes are static: the runtime does
// not copy the whole value out of the If, and its size does not depend on the branch.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ir/control_flow.hpp"
#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The result of a branch: `base`, an outer value, after an operation that appends to it or writes to it.
struct Updated {
  ir::Value base;              ///< null for a result of another form
  ir::Node* update = nullptr;  ///< null if the branch returns the base
};

/// Whether all inputs of `node` but the first have a static shape.
bool is_update(const ir::Node& node) {
  const bool appends = node.is(ops::Concat) && node.inputs().size() == 2;
  const bool writes = node.is(ops::ScatterNDUpdate) && node.find_attribute("reduction") == nullptr;
  if ((!appends && !writes) || node.output(0).uses.size() != 1) return false;
  return std::ranges::all_of(node.inputs().subspan(1),
                             [](ir::Value input) { return input.shape().is_static(); });
}

std::int64_t axis_of(const ir::Node& concat) {
  const std::size_t rank = concat.input(1).shape().rank();
  return static_cast<std::int64_t>(ir::normalize_axis(concat.integer("axis"), rank));
}

/// Whether the updates are the same operation on operands of the same shapes.
bool are_alike(const ir::Node& a, const ir::Node& b) {
  if (!a.is(b.op().id)) return false;
  for (std::size_t i = 1; i < a.inputs().size(); ++i) {
    if (a.input(i).shape() != b.input(i).shape()) return false;
  }
  return !a.is(ops::Concat) || axis_of(a) == axis_of(b);
}

bool has_other_readers(const ir::Node& choice, std::size_t index) {
  for (std::size_t i = 0; i < choice.outputs().size(); ++i) {
    if (i != index && !choice.output(i).uses.empty()) return true;
  }
  return false;
}

class Choice {
 public:
  explicit Choice(ir::Node& node) : choice_(node) {
    for (const ir::Branch* branch : choice_.branches()) {
      for (const ir::Invariant& invariant : branch->invariants)
        captured_.emplace(invariant.parameter, node.input(invariant.input));
    }
  }

  bool run() {
    bool modified = false;
    const std::size_t count = choice_.node().outputs().size();
    for (std::size_t i = 0; i < count; ++i) modified = move_update(i) || modified;
    return modified;
  }

 private:
  /// The outer value that `value`, a Parameter of a branch, captures; null for other values.
  ir::Value captured_by(ir::Value value) const {
    const auto found = captured_.find(value.node);
    return found == captured_.end() ? ir::Value() : found->second;
  }

  Updated updated(const ir::Node& result) const {
    const ir::Value value = result.input(0);
    if (!is_update(*value.node)) return {captured_by(value)};
    return {captured_by(value.node->input(0)), value.node};
  }

  bool move_update(std::size_t index) {
    ir::Node& node = choice_.node();
    if (node.output(index).uses.empty()) return false;
    const auto [then_node, else_node] = choice_.results(index);
    const Updated then_result = updated(*then_node);
    const Updated else_result = updated(*else_node);
    const ir::Value base = then_result.base;
    if (!base || else_result.base != base) return false;
    if (base.shape().is_static() || base.type() == ir::ElementType::string) return false;
    ir::Builder builder = ir::builder_beside(node);
    ir::Value result;
    if (then_result.update != nullptr && else_result.update != nullptr) {
      if (!are_alike(*then_result.update, *else_result.update)) return false;
      result = update_outside(builder, base, *then_result.update, *else_result.update);
    } else if (!has_other_readers(node, index)) {
      if (then_result.update != nullptr) result = append_outside(builder, base, *then_result.update, true);
      if (else_result.update != nullptr) result = append_outside(builder, base, *else_result.update, false);
    }
    if (!result) return false;
    ir::replace_all_uses(node.value(index), result);
    return true;
  }

  /// If both branches update: returns their operands from the If and updates outside.
  ir::Value update_outside(ir::Builder& builder, ir::Value base, const ir::Node& then_update,
                           const ir::Node& else_update) {
    std::vector<ir::Value> inputs{base};
    for (std::size_t i = 1; i < then_update.inputs().size(); ++i)
      inputs.push_back(choice_.add_output(then_update.input(i), else_update.input(i)));
    return builder.clone(then_update, inputs).value();
  }

  /// If one branch appends a value that is known outside: appends all or none of its elements there. Null for
  /// other updates.
  ir::Value append_outside(ir::Builder& builder, ir::Value base, const ir::Node& update, bool is_then) {
    if (!update.is(ops::Concat)) return {};
    const ir::Value appended = update.input(1);
    const ir::Value outside =
        appended.node->constant() != nullptr ? builder.clone(*appended.node).value() : captured_by(appended);
    if (!outside) return {};
    const std::int64_t axis = axis_of(update);
    const ir::Value all = builder.integers({outside.shape()[static_cast<std::size_t>(axis)].size()});
    const ir::Value none = builder.integers({0});
    const ir::Value count =
        builder.op(ops::Select, {choice_.condition(), is_then ? all : none, is_then ? none : all});
    return ir::concat(builder, {base, ir::slice(builder, outside, none, count, axis)}, axis);
  }

  ir::IfView choice_;
  /// The captured values of the Parameters of the branches.
  std::unordered_map<const ir::Node*, ir::Value> captured_;
};

}  // namespace

bool move_updates_out_of_branches(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    for (ir::Node* node : graph->control_flow()) {
      if (node->branches() != nullptr) modified = Choice(*node).run() || modified;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
