// Loop and If nodes by the roles of their ports. Code that makes such a node, or reads, adds or removes one
// of its ports, does it here: the indices in the node's payload stay right.
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
  /// The trip count of a loop that only its conditions end.
  static constexpr std::int64_t kUnlimited = -1;
  static constexpr std::uint32_t kTripCount = 0;  ///< inputs of the node
  static constexpr std::uint32_t kCondition = 1;
  static constexpr std::uint32_t kFirstMapped = 2;  ///< from here on they belong to a port of the body

  /// `node` must be a Loop.
  explicit LoopView(Node& node) : node_(&node) {}

  Node& node() const { return *node_; }
  LoopBody& body() const { return *node_->loop(); }
  Graph& graph() const { return *body().graph; }
  std::vector<Carried>& states() const { return body().carried; }
  std::vector<Scan>& scans() const { return body().scans; }

  /// An integer scalar: kUnlimited, or not negative.
  Value trip_count() const { return node_->input(kTripCount); }
  void set_trip_count(Value value) const { node_->set_input(kTripCount, value); }
  /// A boolean scalar: whether the first iteration takes place, if the trip count allows it.
  Value condition() const { return node_->input(kCondition); }
  void set_condition(Value value) const { node_->set_input(kCondition, value); }
  /// A boolean scalar of the body: whether another iteration follows.
  Value next_condition() const { return body().condition->input(0); }

  /// The value outside of a Carried, an Invariant or a Sliced.
  template <typename Port>
  Value outer(const Port& port) const {
    return node_->input(port.input);
  }
  template <typename Port>
  void set_outer(const Port& port, Value value) const {
    node_->set_input(port.input, value);
  }
  /// The final value of a state, null if it is not an output.
  Value output(const Carried& state) const { return state.output ? node_->value(*state.output) : Value{}; }
  Value output(const Scan& scan) const { return node_->value(scan.output); }
  Value output(const LastValue& last) const { return node_->value(last.output); }

  /// How many iterations there are whatever the inputs; nothing if that depends on them.
  std::optional<std::int64_t> iterations() const;
  bool runs_at_least_once() const;
  bool never_runs() const;

  /// A state that begins as `initial`. Its final value is not an output: see add_output().
  Carried& add_state(Value initial, Node& parameter, Node& result) const;
  Value add_output(Carried& state) const;
  /// A port with the axis and the bounds of `like`: `parameter` is a slice of `outer`.
  Sliced& add_sliced(Value outer, Node& parameter, const Sliced& like) const;
  /// An output that stacks `result`, of the body, along `axis`.
  Scan& add_scan(Node& result, std::int64_t axis) const;
  /// An output that is `value`, of the body, as the last iteration has it.
  Value add_last_value(Value value) const;

  /// Removes the unused outputs of states and scans. Returns whether there were any.
  bool remove_unused_outputs() const;
  using StatePredicate = std::function<bool(const Carried& state)>;
  /// Removes states whose outputs are unused, and the nodes of the body that only they need. Returns whether
  /// there were any.
  bool remove_states(const StatePredicate& is_removed) const;
  /// The same, but the Parameters stay, as invariants.
  bool make_invariant(const StatePredicate& is_invariant) const;

 private:
  std::vector<Carried> take_states(const StatePredicate& is_taken) const;
  void remove_results(const std::vector<Node*>& results) const;

  Node* node_;
};

/// An If node. A copy refers to the same node.
class IfView {
 public:
  static constexpr std::uint32_t kCondition = 0;  ///< inputs of the node
  static constexpr std::uint32_t kFirstMapped = 1;

  /// `node` must be an If.
  explicit IfView(Node& node) : node_(&node) {}

  Node& node() const { return *node_; }
  /// A boolean scalar.
  Value condition() const { return node_->input(kCondition); }
  Branch& then_branch() const { return node_->branches()->then_branch; }
  Branch& else_branch() const { return node_->branches()->else_branch; }
  std::array<Branch*, 2> branches() const { return {&then_branch(), &else_branch()}; }
  /// What the branches give for output `index`.
  std::array<Node*, 2> results(std::size_t index) const {
    return {then_branch().results[index], else_branch().results[index]};
  }

  /// A new output: what the branches give has the same element type and the same static shape.
  Value add_output(Value then_value, Value else_value) const;
  /// Removes unused outputs but for the last one, and the nodes of the branches that only they need. Returns
  /// whether there were any.
  bool remove_unused_outputs() const;

 private:
  Node* node_;
};

/// A Loop around `body` without states, invariants and outputs: add them, set the body's condition, and infer
/// the node.
LoopView add_loop(Builder& outer, Value trip_count, Value condition, std::unique_ptr<Graph> body);

/// An If of these branches. Connect its invariants, and infer the node.
IfView add_if(Builder& outer, Value condition, IfBranches branches);
/// Writes a branch: `invariants` stand for the outer values. Returns its outputs.
using BranchWriter = std::function<std::vector<Value>(Builder& branch, const std::vector<Value>& invariants)>;
/// An If that gives what `then_branch` gives where `condition` holds, else what `else_branch` gives: equally
/// many outputs, of equal types and ranks.
IfView add_if(Builder& outer, Value condition, const std::vector<Value>& invariants,
              const BranchWriter& then_branch, const BranchWriter& else_branch);

/// A copy of the Loop or If `node` with other inputs, which takes its bodies: `node` is to be removed.
Node& move_control_flow(Builder& to, Node& node, const std::vector<Value>& inputs);

/// A new Parameter of `body`, which is one of `node`, for the value `outer`.
Value add_invariant(Node& node, Body& body, Value outer);
/// The same with an existing Parameter.
void connect_invariant(Node& node, Body& body, Value outer, Node& parameter);
/// Removes invariants and slices whose Parameters are unused, with their inputs. Returns whether there were
/// any.
bool remove_unused_captures(Node& node);
/// Removes the inputs that no port refers to.
void remove_unmapped_inputs(Node& node);

/// Whether a use reads the value: a body need not read what it is handed. The runtime drops what is not read.
bool is_read(const Use& use);
/// Whether anything reads the value.
bool is_read(Value value);

}  // namespace onnx2ir::ir
