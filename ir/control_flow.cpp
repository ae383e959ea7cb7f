#include "ir/control_flow.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ir/body_ports.hpp"
#include "ir/inference.hpp"
#include "ir/known_values.hpp"

namespace onnx2ir::ir {
namespace {

/// Calls `work` with each input index in the payload of `node`.
template <typename Work>
void for_each_input_index(Node& node, Work work) {
  for (Body* body : bodies(node)) {
    for (Invariant& invariant : body->invariants) work(invariant.input);
  }
  if (LoopBody* loop = node.loop()) {
    for (Carried& state : loop->carried) work(state.input);
    for (Sliced& sliced : loop->sliced) work(sliced.input);
  }
}

/// The same for output indices of a Loop.
template <typename Work>
void for_each_output_index(LoopBody& loop, Work work) {
  for (Carried& state : loop.carried) {
    if (state.output) work(*state.output);
  }
  for (Scan& scan : loop.scans) work(scan.output);
  for (LastValue& last : loop.last_values) work(last.output);
}

auto closes_gap(std::uint32_t removed) {
  return [removed](std::uint32_t& index) {
    if (index > removed) --index;
  };
}

/// Removes inputs that the payload of `node` does not use.
void remove_inputs(Node& node, std::vector<std::uint32_t> inputs) {
  std::sort(inputs.rbegin(), inputs.rend());
  for (const std::uint32_t input : inputs) {
    for_each_input_index(node, closes_gap(input));
    node.remove_input(input);
  }
}

/// Removes outputs of a Loop that its payload does not use.
void remove_outputs(Node& loop, std::vector<std::uint32_t> outputs) {
  std::sort(outputs.rbegin(), outputs.rend());
  for (const std::uint32_t output : outputs) {
    for_each_output_index(*loop.loop(), closes_gap(output));
    loop.remove_output(output);
  }
}

std::uint32_t added_input(Node& node, Value value) {
  node.add_input(value);
  return static_cast<std::uint32_t>(node.inputs().size() - 1);
}

bool is_used(const Node& node, std::uint32_t output) {
  return !node.output(output).uses.empty();
}

/// The least value that inference knows of a scalar.
std::int64_t least_value(Value scalar) {
  if (const auto exact = known_scalar(scalar)) return *exact;
  const auto& known = scalar.output().known;
  return known != nullptr && known->size() == 1 ? known->front().min : ValueRange().min;
}

/// Whether a dynamic trip count is at least 1: a size that cannot be 0, a Maximum with a positive constant,
/// or the sum of a size and a positive constant, whose lower bound inference does not keep.
bool is_positive(Value trip_count) {
  if (least_value(trip_count) > 0) return true;
  const auto inputs = trip_count.node->inputs();
  const auto is_at_least = [](std::int64_t limit) {
    return [limit](Value input) { return least_value(input) >= limit; };
  };
  if (trip_count.node->is(ops::Maximum)) return std::ranges::any_of(inputs, is_at_least(1));
  return trip_count.node->is(ops::Add) && std::ranges::any_of(inputs, is_at_least(1)) &&
         std::ranges::all_of(inputs, is_at_least(0));
}

Node& bare_node(Builder& builder, Op op, std::span<const Value> inputs, std::size_t outputs) {
  Node& node = builder.graph().add(find_op(op), inputs, outputs);
  node.name = builder.name();
  return node;
}

Branch write_branch(const Graph& outer, const Values& invariants, const BranchWriter& write) {
  Branch branch;
  branch.graph = outer.make_body();
  Builder builder(*branch.graph);
  Values inner;
  inner.reserve(invariants.size());
  for (const Value& value : invariants) inner.push_back(builder.captured(value));
  for (const Value& output : write(builder, inner)) branch.results.push_back(&builder.result(output));
  std::vector<Node*> unused;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i].node->has_uses()) {
      branch.invariants.push_back({IfView::kFirstMapped + static_cast<std::uint32_t>(i), inner[i].node});
    } else {
      unused.push_back(inner[i].node);
    }
  }
  branch.graph->remove(unused);
  return branch;
}

}  // namespace

std::optional<std::int64_t> LoopView::iterations() const {
  const auto count = known_scalar(trip_count());
  const auto starts = known_scalar(condition());
  if (!count || !starts) return std::nullopt;
  if (*count == 0 || *starts == 0) return 0;
  const auto continues = known_scalar(next_condition());
  if (!continues) return std::nullopt;
  if (*continues == 0) return 1;
  return *count < 0 ? std::nullopt : count;
}

bool LoopView::may_repeat() const {
  return iterations().value_or(2) > 1;
}

bool LoopView::runs_at_least_once() const {
  const auto count = known_scalar(trip_count());
  if (known_scalar(condition()).value_or(0) == 0) return false;
  return count ? *count != 0 : node_->notes.contains(Note::known_to_run) || is_positive(trip_count());
}

bool LoopView::never_runs() const {
  return known_scalar(trip_count()) == 0 || known_scalar(condition()) == 0;
}

Carried& LoopView::add_state(Value initial, Node& parameter, Node& result) const {
  return states().emplace_back(Carried{added_input(*node_, initial), &parameter, &result, std::nullopt});
}

Value LoopView::add_output(Carried& state) const {
  const Value output = node_->add_output();
  state.output = output.index;
  return output;
}

Sliced& LoopView::add_sliced(Value outer, Node& parameter, const Slices& like) const {
  return body().sliced.emplace_back(Sliced{like, added_input(*node_, outer), &parameter});
}

Scan& LoopView::add_scan(Node& result, std::int64_t axis) const {
  return scans().emplace_back(Scan{{.axis = axis}, &result, node_->add_output().index});
}

Value LoopView::add_last_value(Value value) const {
  const Value output = node_->add_output();
  body().last_values.push_back({&Builder(graph()).result(value), output.index});
  return output;
}

bool LoopView::remove_unused_outputs() const {
  std::vector<std::uint32_t> outputs;
  std::vector<Node*> results;
  for (Carried& state : states()) {
    if (!state.output || is_used(*node_, *state.output)) continue;
    outputs.push_back(*state.output);
    state.output.reset();
  }
  std::erase_if(scans(), [&](const Scan& scan) {
    if (is_used(*node_, scan.output)) return false;
    outputs.push_back(scan.output);
    results.push_back(scan.result);
    return true;
  });
  if (outputs.empty()) return false;
  remove_results(results);
  graph().remove_dead_nodes();
  remove_outputs(*node_, outputs);
  return true;
}

/// Removes those Results that no port refers to any more.
void LoopView::remove_results(const std::vector<Node*>& results) const {
  if (results.empty()) return;
  std::unordered_set<const Node*> used;
  for (const Port& port : ports_of(body())) used.insert(port.result);
  std::vector<Node*> unused;
  std::ranges::copy_if(results, std::back_inserter(unused),
                       [&](const Node* result) { return !used.contains(result); });
  graph().remove(unused);
}

/// Removes states, but keeps their inputs and Parameters.
std::vector<Carried> LoopView::take_states(const StatePredicate& is_taken) const {
  std::vector<Carried> taken;
  std::vector<std::uint32_t> outputs;
  std::vector<Node*> results;
  std::erase_if(states(), [&](const Carried& state) {
    if (!is_taken(state)) return false;
    taken.push_back(state);
    results.push_back(state.result);
    if (state.output) outputs.push_back(*state.output);
    return true;
  });
  remove_results(results);
  remove_outputs(*node_, outputs);
  return taken;
}

bool LoopView::remove_states(const StatePredicate& is_removed) const {
  const std::vector<Carried> removed = take_states(is_removed);
  if (removed.empty()) return false;
  graph().remove_dead_nodes();
  std::vector<std::uint32_t> inputs;
  std::vector<Node*> parameters;
  for (const Carried& state : removed) {
    inputs.push_back(state.input);
    parameters.push_back(state.parameter);
  }
  graph().remove(parameters);
  remove_inputs(*node_, inputs);
  return true;
}

bool LoopView::make_invariant(const StatePredicate& is_invariant) const {
  const std::vector<Carried> taken = take_states(is_invariant);
  for (const Carried& state : taken) body().invariants.push_back({state.input, state.parameter});
  // The Parameter of an invariant has the sizes of its input, also if they are 0.
  if (!taken.empty()) mark_stale(*node_);
  return !taken.empty();
}

std::size_t count_roles(const LoopBody& body, const Node& result) {
  return static_cast<std::size_t>(std::ranges::count_if(ports_of(body), [&](const Port& port) {
    return port.result == &result && port.kind != Port::Kind::condition;
  }));
}

Value IfView::add_output(Value then_value, Value else_value) const {
  then_branch().results.push_back(&Builder(*then_branch().graph).result(then_value));
  else_branch().results.push_back(&Builder(*else_branch().graph).result(else_value));
  const Value output = node_->add_output();
  set_output(*node_, output.index, then_value.type(), then_value.shape());
  return output;
}

bool IfView::remove_unused_outputs() const {
  std::vector<std::uint32_t> unused;  // in descending order
  for (auto output = static_cast<std::uint32_t>(node_->outputs().size()); output-- > 0;) {
    if (is_used(*node_, output) || node_->outputs().size() == 1) continue;
    node_->remove_output(output);
    unused.push_back(output);
  }
  if (unused.empty()) return false;
  for (Branch* branch : branches()) {
    std::vector<Node*> results;
    for (const std::uint32_t output : unused) {
      results.push_back(branch->results[output]);
      branch->results.erase(branch->results.begin() + output);
    }
    branch->graph->remove(results);
    branch->graph->remove_dead_nodes();
  }
  return true;
}

LoopView add_loop(Builder& outer, Value trip_count, Value condition, std::unique_ptr<Graph> body) {
  Node& node = bare_node(outer, ops::Loop, std::array{trip_count, condition}, 0);
  LoopBody loop;
  loop.graph = std::move(body);
  node.set_payload(std::move(loop));
  return LoopView(node);
}

IfView add_if(Builder& outer, Value condition, IfBranches branches) {
  Node& node = bare_node(outer, ops::If, {&condition, 1}, branches.then_branch.results.size());
  node.set_payload(std::move(branches));
  return IfView(node);
}

IfView add_if(Builder& outer, Value condition, const Values& invariants, const BranchWriter& then_branch,
              const BranchWriter& else_branch) {
  Branch first = write_branch(outer.graph(), invariants, then_branch);
  Branch second = write_branch(outer.graph(), invariants, else_branch);
  const IfView if_view = add_if(outer, condition, {std::move(first), std::move(second)});
  for (const Value& value : invariants) if_view.node().add_input(value);
  infer(if_view.node());
  return if_view;
}

Node& move_control_flow(Builder& to, Node& node, const std::vector<Value>& inputs) {
  Node& moved = bare_node(to, node.op().id, inputs, node.outputs().size());
  moved.name = node.name;
  moved.notes = node.notes;
  moved.set_payload(node.take_payload());
  infer(moved);
  return moved;
}

Value add_invariant(Node& node, Body& body, Value outer) {
  Builder builder(*body.graph);
  builder.set_name(outer.node->name);
  const Value parameter = builder.captured(outer);
  connect_invariant(node, body, outer, *parameter.node);
  return parameter;
}

void connect_invariant(Node& node, Body& body, Value outer, Node& parameter) {
  body.invariants.push_back({added_input(node, outer), &parameter});
}

bool remove_unused_captures(Node& node) {
  bool modified = false;
  for (Body* body : bodies(node)) {
    std::vector<Node*> parameters;
    const auto is_unused = [&](const auto& port) {
      if (port.parameter->has_uses()) return false;
      parameters.push_back(port.parameter);
      return true;
    };
    std::erase_if(body->invariants, is_unused);
    if (LoopBody* const loop = node.loop()) std::erase_if(loop->sliced, is_unused);
    body->graph->remove(parameters);
    modified = modified || !parameters.empty();
  }
  // The branches of an If may share an input.
  if (modified) remove_unmapped_inputs(node);
  return modified;
}

std::size_t own_input_count(const Node& node) {
  if (node.loop() != nullptr) return LoopView::kFirstMapped;
  return node.branches() != nullptr ? IfView::kFirstMapped : node.inputs().size();
}

void remove_unmapped_inputs(Node& node) {
  std::vector<bool> is_mapped(node.inputs().size());
  for_each_input_index(node, [&](std::uint32_t input) { is_mapped[input] = true; });
  std::vector<std::uint32_t> unmapped;
  for (std::size_t i = own_input_count(node); i < is_mapped.size(); ++i) {
    if (!is_mapped[i]) unmapped.push_back(static_cast<std::uint32_t>(i));
  }
  remove_inputs(node, unmapped);
}

bool is_read(const Use& use) {
  if (use.index < own_input_count(*use.node)) return true;
  return std::ranges::any_of(connected_bodies(*use.node), [&](const ConnectedBody& body) {
    return std::ranges::any_of(body.ports, [&](const Port& port) {
      return port.input == use.index && is_read(port.parameter->value());
    });
  });
}

bool is_read(Value value) {
  return std::ranges::any_of(value.output().uses, [](const Use& use) { return is_read(use); });
}

}  // namespace onnx2ir::ir
