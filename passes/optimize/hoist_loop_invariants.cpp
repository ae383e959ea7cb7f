// Hoists computations of a loop's body that depend on invariants alone out of the loop.
//
// Not hoisted: values whose elements inference knows (the body's shapes could not be inferred from them
// outside), computations on constants alone (the runtime folds them), control flow, and volatile operations.
// If the loop may run zero times, only operations that cannot fail are hoisted: floating-point operations on
// static shapes.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Moves the invariant nodes of one body to the graph around its loop.
class Mover {
 public:
  explicit Mover(ir::LoopView loop)
      : loop_(loop), builder_(loop.node().graph()), runs_(loop.runs_at_least_once()) {
    for (const ir::Invariant& invariant : loop.body().invariants) {
      parameters_[invariant.parameter] = loop.outer(invariant);
    }
  }

  bool run() {
    if (parameters_.empty()) return false;
    for (const auto& node : loop_.graph().nodes()) {
      if (is_movable(*node)) copy_outside(*node);
    }
    if (moved_.empty()) return false;
    // A separate loop, because connect() appends Parameters to the nodes of the body.
    for (const auto& [node, copy] : moved_) {
      for (std::uint32_t i = 0; i < node->outputs().size(); ++i) connect({node, i}, {copy, i});
    }
    loop_.graph().remove_dead_nodes();
    return true;
  }

 private:
  bool is_invariant(ir::Value value) const {
    return parameters_.contains(value.node) || copies_.contains(value.node);
  }

  bool is_movable(const ir::Node& node) const {
    if (node.op().traits.is_volatile || node.inputs().empty() || !node.has_uses()) return false;
    if (node.has_payload() || node.is(ops::Result)) return false;
    const bool from_invariants = std::ranges::all_of(node.inputs(), [&](ir::Value input) {
      return input.node->constant() != nullptr || is_invariant(input);
    });
    const bool is_computed =
        std::ranges::any_of(node.inputs(), [&](ir::Value input) { return is_invariant(input); });
    if (!from_invariants || !is_computed) return false;
    const bool is_known =
        std::ranges::any_of(node.outputs(), [](const ir::Output& output) { return output.known != nullptr; });
    return !is_known && (runs_ || cannot_fail(node));
  }

  static bool cannot_fail(const ir::Node& node) {
    const auto is_safe = [](ir::ElementType type, const ir::PartialShape& shape) {
      return ir::is_floating(type) && shape.sizes().has_value();
    };
    return std::ranges::all_of(node.inputs(),
                               [&](ir::Value input) {
                                 return input.node->constant() != nullptr ||
                                        is_safe(input.type(), input.shape());
                               }) &&
           std::ranges::all_of(node.outputs(),
                               [&](const ir::Output& output) { return is_safe(output.type, output.shape); });
  }

  ir::Value outside(ir::Value value) {
    if (const auto parameter = parameters_.find(value.node); parameter != parameters_.end())
      return parameter->second;
    ir::Node*& copy = copies_[value.node];
    if (copy == nullptr) copy = &builder_.clone(*value.node);
    return copy->value(value.index);
  }

  void copy_outside(ir::Node& node) {
    std::vector<ir::Value> inputs;
    for (const ir::Value input : node.inputs()) inputs.push_back(outside(input));
    ir::Node& copy = builder_.clone(node, inputs);
    copies_[&node] = &copy;
    moved_.emplace_back(&node, &copy);
  }

  /// Values that only moved nodes use are not captured.
  void connect(ir::Value inside, ir::Value outside) {
    const bool is_read = std::ranges::any_of(inside.output().uses,
                                             [&](const ir::Use& use) { return !copies_.contains(use.node); });
    if (is_read) ir::replace_all_uses(inside, ir::add_invariant(loop_.node(), loop_.body(), outside));
  }

  ir::LoopView loop_;
  ir::Builder builder_;
  bool runs_;
  std::unordered_map<const ir::Node*, ir::Value> parameters_;
  std::unordered_map<const ir::Node*, ir::Node*> copies_;  ///< nodes and constants of the body -> outside
  std::vector<std::pair<ir::Node*, ir::Node*>> moved_;
};

}  // namespace

bool hoist_loop_invariants(ir::Model& model, PassContext&) {
  bool modified = false;
  // Inner loops first: what is hoisted out of one may be hoisted out of the next.
  for (const ir::LoopView loop : loops_of(model)) modified = Mover(loop).run() || modified;
  return modified;
}

}  // namespace onnx2ir::passes
