// Gives values whose change of shape the CPU runtime would miss shapes that differ: copies of themselves
// along a new first axis, of which the readers take the first.
//
// The results of an If: [1, ...] in one branch and [2, ...] in the other. Releases up to 2026.3 copy a
// branch's result with the size it had when it last changed the shape of the output (branch_output_size): if
// the other branch has set that shape, too few elements are copied, or none. Where a branch hands on the
// result of an If of its own, the branches of both are counted through: [1, ...], [2, ...] and [3, ...].
// Where the result is the next value of a loop's state, the state passes the loop with its copies: an If that
// only a Result reads need not run in a loop of its own (wrap_ifs_in_loops).
//
// The initial value of a state that grows and shrinks: [2, ...] where the next values are [1, ...], or one
// more than the branches of an If have. If the loop may not run, a branch leaves out the 2 of the initial
// value: the runtime infers a first size of 1 to 3 for the loop's output, which the initial value must fit.
// The runtime remembers where the body's memory for a state is, and looks again only if the initial value has
// another shape than the state in the last iteration before. In between, a larger state may have moved the
// memory: the initial value is copied to freed memory, and the body reads the values of the run before
// (stale_initial_memory).
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"
#include "passes/size_changes.hpp"
#include "passes/stacked_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// The copies that an initial value has if the next value comes from no If, or if the loop may not run.
constexpr std::size_t kInitialCopies = 2;

/// From these on a branch takes the first copy of its If and is counted as one.
constexpr std::size_t kMostCopies = 4;

/// How many copies a branch has; the next branch has more.
struct Copies {
  std::size_t count = 1;
  /// No branch has these.
  std::optional<std::size_t> left_out;

  void increase() {
    ++count;
    if (count == left_out) ++count;
  }
};

bool can_be_equal(const ir::PartialShape& a, const ir::PartialShape& b) {
  if (a.rank() != b.rank()) return a.rank() <= 1 && b.rank() <= 1;
  return ir::intersect(a, b).has_value();
}

/// Whether output `index` of the If is copied with a size that the runtime may not update.
bool is_endangered(ir::Node& choice, std::size_t index) {
  const auto results = ir::IfView(choice).results(index);
  const auto then_shapes = possible_shapes(*results[0]);
  const auto else_shapes = possible_shapes(*results[1]);
  const auto has_rank = [](const ir::PartialShape& shape) { return shape.has_rank(); };
  if (choice.output(index).type == ir::ElementType::string) return false;
  if (!std::ranges::all_of(then_shapes, has_rank) || !std::ranges::all_of(else_shapes, has_rank))
    return false;
  return std::ranges::any_of(then_shapes, [&](const ir::PartialShape& a) {
    return std::ranges::any_of(else_shapes, [&](const ir::PartialShape& b) {
      return !(a.is_static() && b.is_static()) && can_be_equal(a, b);
    });
  });
}

/// A state of a loop. Valid as long as the loop gets no other states.
struct State {
  ir::LoopView loop;
  ir::Carried* carried;
};

/// Of two iterations the second one starts from another shape, or from memory that has not moved.
bool may_iterate_more_than_twice(ir::LoopView loop) {
  const auto count = ir::known_values(loop.trip_count());
  return !count || count->front().min < 0 || count->front().max > 2;
}

/// A state that grows and shrinks, and that the body reads: LoopBody::carried[index].
struct UnsettledState {
  ir::LoopView loop;
  std::size_t index;
};

std::vector<UnsettledState> unsettled_states(ir::Model& model) {
  std::vector<UnsettledState> states;
  for (const ir::LoopView loop : loops_of(model)) {
    if (!may_iterate_more_than_twice(loop)) continue;
    const std::vector<bool> is_unsettled = states_that_grow_and_shrink(loop);
    for (std::size_t i = 0; i < is_unsettled.size(); ++i) {
      if (is_unsettled[i] && ir::is_read(loop.states()[i].parameter->value())) states.push_back({loop, i});
    }
  }
  return states;
}

bool has_other_role(const ir::LoopBody& body, const ir::Carried& state) {
  const auto is_also = [&](const auto& port) { return port.result == state.result; };
  const auto is_other = [&](const ir::Carried& other) { return &other != &state && is_also(other); };
  return std::ranges::any_of(body.scans, is_also) || std::ranges::any_of(body.last_values, is_also) ||
         std::ranges::any_of(body.carried, is_other);
}

/// Separates the results of branches.
class BranchSeparation {
 public:
  explicit BranchSeparation(ir::Model& model) {
    for (const ir::LoopView loop : loops_of(model)) {
      for (ir::Carried& state : loop.states()) states_.emplace(state.result, State{loop, &state});
    }
  }

  bool run_on(ir::Node& choice) {
    bool modified = false;
    for (std::uint32_t i = 0; i < choice.outputs().size(); ++i) {
      if (choice.output(i).uses.empty() || is_separate(choice, i) || !is_endangered(choice, i)) continue;
      const auto results = ir::IfView(choice).results(i);
      const std::size_t rank =
          std::max(results[0]->output(0).shape.rank(), results[1]->output(0).shape.rank());
      if (const std::optional<State> state = only_state(choice.output(i), rank)) {
        run_on_next_value(*state, choice, i);
      } else {
        Copies copies;
        separate(choice, i, rank, copies);
        read_first_copy(choice.value(i));
      }
      modified = true;
    }
    return modified;
  }

  /// Separates output `index` of `choice`, the next value of `state`.
  void run_on_next_value(const State& state, ir::Node& choice, std::uint32_t index) {
    Copies copies;
    if (state.carried->output && !state.loop.runs_at_least_once()) copies.left_out = kInitialCopies;
    separate(choice, index, choice.output(index).shape.rank(), copies);
    ir::infer(*state.carried->result);
    stack_state(state.loop, *state.carried, copies.left_out.value_or(copies.count));
  }

 private:
  bool is_separate(const ir::Node& choice, std::uint32_t index) const {
    const auto found = separate_.find(&choice);
    return found != separate_.end() && found->second.contains(index);
  }

  /// Gives each branch of output `index` a number of copies of its own, from `copies` on.
  void separate(ir::Node& choice, std::uint32_t index, std::size_t rank, Copies& copies) {
    separate_[&choice].insert(index);
    for (ir::Node* const result : ir::IfView(choice).results(index)) {
      const ir::Value value = result->input(0);
      ir::Node* const inner = copies.count < kMostCopies ? choice_behind(*result, rank) : nullptr;
      if (inner != nullptr && !is_separate(*inner, value.index) && is_endangered(*inner, value.index)) {
        separate(*inner, value.index, rank, copies);
      } else {
        ir::Builder builder = ir::builder_beside(*value.node);
        result->set_input(0, stacked(builder, value, copies.count, rank));
        copies.increase();
      }
      ir::infer(*result);
    }
    ir::infer(choice);
  }

  /// The state whose next value `output` is, if nobody else reads it.
  std::optional<State> only_state(const ir::Output& output, std::size_t rank) const {
    if (output.uses.size() != 1) return std::nullopt;
    const auto found = states_.find(output.uses[0].node);
    if (found == states_.end()) return std::nullopt;
    const State& state = found->second;
    if (has_other_role(state.loop.body(), *state.carried)) return std::nullopt;
    const std::array<const ir::PartialShape*, 3> shapes{
        &output.shape, &state.carried->parameter->output(0).shape, &state.loop.outer(*state.carried).shape()};
    const auto has_rank = [&](const ir::PartialShape* shape) {
      return shape->has_rank() && shape->rank() == rank;
    };
    return std::ranges::all_of(shapes, has_rank) ? std::optional(state) : std::nullopt;
  }

  /// By the Result of the body that gives the next value.
  std::unordered_map<const ir::Node*, State> states_;
  /// The outputs of Ifs whose branches are separate already.
  std::unordered_map<const ir::Node*, std::unordered_set<std::uint32_t>> separate_;
};

/// Gives the loop's output a state of its own, which the body does not read: the value behind the Result. A
/// loop that does not run gives the initial value, which must have the shape of the result.
void give_output_own_state(ir::LoopView loop, std::size_t index) {
  const ir::Carried state = loop.states()[index];
  const ir::Value initial = loop.outer(state);
  ir::Builder builder = ir::builder_beside(*state.result);
  const ir::Value parameter = builder.parameter(initial.type(), initial.shape());
  loop.add_state(initial, *parameter.node, builder.result(state.result->input(0))).output = state.output;
  loop.states()[index].output.reset();
}

/// Gives the initial value another shape than all next values. Returns whether it may have had the same.
bool separate_initial_shape(BranchSeparation& separation, const UnsettledState& unsettled) {
  const ir::LoopView loop = unsettled.loop;
  const auto carried = [&]() -> ir::Carried& { return loop.states()[unsettled.index]; };
  const ir::PartialShape initial = loop.outer(carried()).shape();
  if (!initial.has_rank() || !may_have_shape(*carried().result, initial)) return false;
  if (has_other_role(loop.body(), carried())) {
    ir::Builder builder = ir::builder_beside(*carried().result);
    carried().result = &builder.result(carried().result->input(0));
  }
  const ir::Value value = carried().result->input(0);
  if (ir::Node* const choice = choice_behind(*carried().result, initial.rank())) {
    separation.run_on_next_value({loop, &carried()}, *choice, value.index);
    return true;
  }
  if (carried().output && !loop.runs_at_least_once()) give_output_own_state(loop, unsettled.index);
  ir::Builder builder = ir::builder_beside(*value.node);
  carried().result->set_input(0, stacked(builder, value, 1, initial.rank()));
  ir::infer(*carried().result);
  stack_state(loop, carried(), kInitialCopies);
  return true;
}

bool separate_branches(ir::Model& model, BranchSeparation& separation) {
  bool modified = false;
  std::vector<ir::Graph*> graphs = graphs_of(model);
  std::ranges::reverse(graphs);  // an If before those in its branches
  for (ir::Graph* graph : graphs) {
    const std::vector<ir::Node*> nodes = graph->control_flow();
    for (ir::Node* node : nodes) {
      if (node->branches() != nullptr) modified = separation.run_on(*node) || modified;
    }
  }
  return modified;
}

}  // namespace

bool make_shapes_distinct(ir::Model& model, PassContext& context) {
  std::vector<UnsettledState> states;
  if (context.target.has(Fault::stale_initial_memory)) states = unsettled_states(model);
  BranchSeparation separation(model);
  bool modified = context.target.has(Fault::branch_output_size) && separate_branches(model, separation);
  for (const UnsettledState& state : states) modified = separate_initial_shape(separation, state) || modified;
  return modified;
}

}  // namespace onnx2ir::passes
