// Hoists computations of a loop's body that depend on invariants alone out of the loop.
//
// Not hoisted: values whose elements inference knows (the body's shapes could not be inferred from them
// outside), computations on constants alone (the runtime folds them), control flow, and volatile operations.
// If the loop may run zero times, only operations that never fail are hoisted.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "passes/analysis/foldable.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Moves the invariant nodes of one body to the graph around its loop.
class Mover {
 public:
  explicit Mover(ir::LoopView loop)
      : loop_(loop), builder_(loop.node().graph()), runs_(loop.runs_at_least_once()) {
    for (const ir::Invariant& invariant : loop.body().invariants)
      parameters_[invariant.parameter] = loop.outer(invariant);
  }

  bool run() {
    if (parameters_.empty()) return false;
    for (const auto& node : loop_.graph().nodes()) {
      if (!is_movable(*node)) continue;
      movable_.push_back(node.get());
      is_moved_.insert(node.get());
    }
    if (movable_.empty() || !pays()) return false;
    for (ir::Node* node : movable_) copy_outside(*node);
    // A separate loop, because it appends Parameters to the nodes of the body.
    for (ir::Node* node : movable_) {
      for (const ir::Value inside : node->values()) {
        if (!is_captured(inside)) continue;
        const ir::Value outside = copies_.at(node)->value(inside.index);
        ir::replace_all_uses(inside, ir::add_invariant(loop_.node(), loop_.body(), outside));
      }
    }
    loop_.graph().remove_dead_nodes();
    return true;
  }

 private:
  bool is_invariant(ir::Value value) const {
    return parameters_.contains(value.node) || is_moved_.contains(value.node);
  }

  /// Whether an operation that stays reads the value.
  bool is_captured(ir::Value inside) const {
    return std::ranges::any_of(inside.output().uses,
                               [&](const ir::Use& use) { return !is_moved_.contains(use.node); });
  }

  /// Whether computing the node takes noticeable time in each iteration.
  static bool takes_time(const ir::Node& node) {
    constexpr std::int64_t kFew = 64;
    const ir::Traits& traits = node.op().traits;
    if (traits.reshapes || node.is(ops::ShapeOf)) return false;
    const bool is_elementwise = traits.broadcasts || traits.keeps_shape || node.is(ops::Convert);
    return !is_elementwise || node.output(0).shape.element_count().value_or(kFew + 1) > kFew;
  }

  /// An input of the loop takes as long as several operations on a few numbers, which run in each iteration.
  bool pays() const {
    constexpr std::ptrdiff_t kOperationsPerInput = 3;
    if (std::ranges::any_of(movable_, [](const ir::Node* node) { return takes_time(*node); })) return true;
    std::ptrdiff_t operations = 0;
    std::ptrdiff_t more_inputs = 0;
    for (ir::Node* node : movable_) {
      operations += node->op().traits.reshapes ? 0 : 1;
      for (const ir::Value inside : node->values()) more_inputs += is_captured(inside) ? 1 : 0;
    }
    for (const auto& [parameter, outside] : parameters_)
      more_inputs -= is_captured(parameter->value()) ? 0 : 1;
    return operations >= kOperationsPerInput * more_inputs;
  }

  bool is_movable(const ir::Node& node) const {
    if (node.op().traits.is_volatile || node.has_payload() || !node.has_uses()) return false;
    const bool from_invariants = std::ranges::all_of(node.inputs(), [&](ir::Value input) {
      return input.node->constant() != nullptr || is_invariant(input);
    });
    const bool is_computed =
        std::ranges::any_of(node.inputs(), [&](ir::Value input) { return is_invariant(input); });
    if (!from_invariants || !is_computed) return false;
    const bool is_known =
        std::ranges::any_of(node.outputs(), [](const ir::Output& output) { return output.known != nullptr; });
    return !is_known && (runs_ || never_fails(node));
  }

  ir::Value find_outside(ir::Value value) {
    if (const auto parameter = parameters_.find(value.node); parameter != parameters_.end())
      return parameter->second;
    ir::Node*& copy = copies_[value.node];
    if (copy == nullptr) copy = &builder_.clone(*value.node);
    return copy->value(value.index);
  }

  void copy_outside(ir::Node& node) {
    std::vector<ir::Value> inputs;
    for (const ir::Value input : node.inputs()) inputs.push_back(find_outside(input));
    ir::Node& copy = builder_.clone(node, inputs);
    copies_[&node] = &copy;
  }

  ir::LoopView loop_;
  ir::Builder builder_;
  bool runs_;
  std::unordered_map<ir::Node*, ir::Value> parameters_;
  std::unordered_map<const ir::Node*, ir::Node*> copies_;  ///< nodes and constants of the body -> outside
  std::vector<ir::Node*> movable_;
  std::unordered_set<const ir::Node*> is_moved_;
};

}  // namespace

bool hoist_loop_invariants(ir::Model& model, PassContext&) {
  // Inner loops first: what is hoisted out of one may be hoisted out of the next.
  return edit_each(loops_of(model), [](ir::LoopView loop) { return Mover(loop).run(); });
}

}  // namespace onnx2ir::passes
