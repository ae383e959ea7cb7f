// Access to the ports of Loop and If nodes by their roles. All code that creates such nodes, or reads, adds
// or removes their ports, uses this interface, which keeps the indices in the payload valid.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ir/builder.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// A Loop node. A copy refers to the same node.
class LoopView {
 public:
  /// The trip count of a loop that ends by its condition only.
  static constexpr std::int64_t kUnlimited = -1;
  static constexpr std::uint32_t kTripCount = 0;  ///< input indices of the node
  static constexpr std::uint32_t kCondition = 1;
  static constexpr std::uint32_t kFirstMapped = 2;  ///< this and later inputs belong to ports of the body

  /// `node` must be a Loop.
  explicit LoopView(Node& node) : node_(&node) {}

  Node& node() const { return *node_; }
  LoopBody& body() const { return *node_->loop(); }
  Graph& graph() const { return *body().graph; }
  std::vector<Carried>& states() const { return body().carried; }
  std::vector<Scan>& scans() const { return body().scans; }

  /// An integer scalar: kUnlimited or a number >= 0.
  Value trip_count() const { return node_->input(kTripCount); }
  void set_trip_count(Value value) const { node_->set_input(kTripCount, value); }
  /// A boolean scalar: the initial condition. Whether the first iteration runs, if the trip count allows it.
  Value condition() const { return node_->input(kCondition); }
  void set_condition(Value value) const { node_->set_input(kCondition, value); }
  /// A boolean scalar of the body: the body condition. Whether another iteration follows.
  Value next_condition() const { return body().condition->input(0); }

  /// The outer value of a Carried, an Invariant or a Sliced.
  template <typename Port>
  Value outer(const Port& port) const {
    return node_->input(port.input);
  }
  template <typename Port>
  void set_outer(const Port& port, Value value) const {
    node_->set_input(port.input, value);
  }
  /// The final value of a state; null if it is not an output.
  Value output(const Carried& state) const { return state.output ? node_->value(*state.output) : Value{}; }
  Value output(const Scan& scan) const { return node_->value(scan.output); }
  Value output(const LastValue& last) const { return node_->value(last.output); }

  /// The number of iterations if it is the same for all inputs; no value if it depends on them.
  std::optional<std::int64_t> iterations() const;
  /// Whether it may run more than one iteration.
  bool may_repeat() const;
  bool runs_at_least_once() const;
  bool never_runs() const;

  /// Adds a state with the given initial value. Its final value is not an output: see add_output().
  Carried& add_state(Value initial, Node& parameter, Node& result) const;
  Value add_output(Carried& state) const;
  /// Adds a port with the axis and the bounds of `like`: `parameter` is a slice of `outer`.
  Sliced& add_sliced(Value outer, Node& parameter, const Slices& like) const;
  /// Adds a scan output that stacks `result`, a Result of the body, along `axis`.
  Scan& add_scan(Node& result, std::int64_t axis) const;
  /// Adds an output: `value`, a value of the body, in the last iteration.
  Value add_last_value(Value value) const;

  /// Removes unused outputs of states and scans. Returns whether any was removed.
  bool remove_unused_outputs() const;
  using StatePredicate = std::function<bool(const Carried& state)>;
  /// Removes states whose outputs are unused, and nodes that only they use. Returns whether any was removed.
  bool remove_states(const StatePredicate& is_removed) const;
  /// Turns states into invariants: as remove_states(), but the Parameters are kept.
  bool make_invariant(const StatePredicate& is_invariant) const;

 private:
  std::vector<Carried> take_states(const StatePredicate& is_taken) const;
  void remove_results(const std::vector<Node*>& results) const;

  Node* node_;
};

/// How many states, scan outputs and last values of a Loop a Result of its body gives.
std::size_t count_roles(const LoopBody& body, const Node& result);

/// An If node. A copy refers to the same node.
class IfView {
 public:
  static constexpr std::uint32_t kCondition = 0;  ///< input indices of the node
  static constexpr std::uint32_t kFirstMapped = 1;

  /// `node` must be an If.
  explicit IfView(Node& node) : node_(&node) {}

  Node& node() const { return *node_; }
  /// A boolean scalar.
  Value condition() const { return node_->input(kCondition); }
  Branch& then_branch() const { return node_->branches()->then_branch; }
  Branch& else_branch() const { return node_->branches()->else_branch; }
  std::array<Branch*, 2> branches() const { return {&then_branch(), &else_branch()}; }
  /// The Results of both branches for output `index`.
  std::array<Node*, 2> results(std::size_t index) const {
    return {then_branch().results[index], else_branch().results[index]};
  }

  /// Adds an output. The values of the branches must have the same element type and the same static shape.
  Value add_output(Value then_value, Value else_value) const;
  /// Removes unused outputs, but keeps at least one, and the nodes of the branches that only they use.
  /// Returns whether any was removed.
  bool remove_unused_outputs() const;

 private:
  Node* node_;
};

/// A Loop with `body`, without states, invariants and outputs. The caller adds them, sets the body's
/// condition, and infers the node.
LoopView add_loop(Builder& outer, Value trip_count, Value condition, std::unique_ptr<Graph> body);

/// An If with these branches. The caller connects the invariants and infers the node.
IfView add_if(Builder& outer, Value condition, IfBranches branches);
/// Emits the nodes of a branch and returns its outputs; `invariants` are the captured values in the branch.
using BranchWriter = std::function<Values(Builder& branch, const Values& invariants)>;
/// An If with the outputs of `then_branch` and `else_branch`, which must have the same number of outputs of
/// the same types and ranks.
IfView add_if(Builder& outer, Value condition, const Values& invariants, const BranchWriter& then_branch,
              const BranchWriter& else_branch);

/// A copy of the Loop or If `node` with other inputs, which takes over its bodies. The caller removes `node`.
Node& move_control_flow(Builder& to, Node& node, const std::vector<Value>& inputs);

/// Captures `outer` in `body`, a body of `node`, as a new Parameter.
Value add_invariant(Node& node, Body& body, Value outer);
/// Captures `outer` with an existing Parameter.
void connect_invariant(Node& node, Body& body, Value outer, Node& parameter);
/// Removes invariants and slices with unused Parameters, and their inputs. Returns whether any was removed.
bool remove_unused_captures(Node& node);
/// The number of inputs before those of the ports of bodies; all inputs for a node without bodies.
std::size_t own_input_count(const Node& node);
/// Removes inputs that no port refers to.
void remove_unmapped_inputs(Node& node);

/// Whether a use reads the value. An input of a Loop or If counts only if the body uses it: the runtime
/// removes unused captures.
bool is_read(const Use& use);
/// Whether any use reads the value.
bool is_read(Value value);

}  // namespace onnx2ir::ir
