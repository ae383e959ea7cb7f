// The CPU plugin misses some changes of a value because its shape stays the same (docs/control-flow.md). This
// pass gives such values different shapes: it stacks copies of a value along a new first axis, and readers
// take the first copy.
//
// Results of an If (branch_output_size) have 1 copy in one branch and 2 in the other. The branches of nested
// Ifs get consecutive numbers. If the result is the next value of a state, the state passes through the loop
// with its copies: the output of an If that only a Result uses does not need wrap_ifs_in_loops.
//
// The initial value of a state that grows and shrinks (stale_initial_memory) has 2 copies and the next values
// have 1; if an If gives the next value, the initial value has one copy more than the branches have. If the
// loop may run zero times, it has 2 copies and the branches 1 and 3, because the runtime infers a first size
// of 1 to 3 for the loop's output, and the initial value must fit that.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/inference.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/port_sources.hpp"
#include "passes/analysis/size_changes.hpp"
#include "passes/passes.hpp"
#include "passes/support/stacked_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// The number of copies of an initial value if the next value does not come from an If, or if the loop may
/// run zero times.
constexpr std::size_t kInitialCopies = 2;

/// From this number of copies on, a branch takes the first copy of its nested If and counts as one branch.
constexpr std::size_t kMaxCopies = 4;

/// The number of copies in a branch; the next branch has more.
struct CopyCount {
  std::size_t count = 1;
  /// A number of copies that no branch has.
  std::optional<std::size_t> reserved_count;

  void increase() {
    ++count;
    if (count == reserved_count) ++count;
  }
};

/// Whether the value of `result`, a Result of a body, is an output of an If that has rank `rank` and no other
/// uses.
bool is_of_if(const ir::Node& result, std::size_t rank) {
  const ir::Value value = result.input(0);
  const ir::Output& output = value.output();
  return value.node->branches() != nullptr && output.uses.size() == 1 && output.shape.has_rank(rank);
}

/// The shapes that the value of `result`, a Result of a body, may have: one per branch if an If gives the
/// value and has few branches.
std::vector<ir::PartialShape> possible_shapes(const ir::Node& result) {
  constexpr std::size_t kMaxShapes = 16;
  std::vector<ir::PartialShape> shapes;
  std::vector<const ir::Node*> pending{&result};
  while (!pending.empty()) {
    const ir::Value value = pending.back()->input(0);
    pending.pop_back();
    if (value.node->branches() != nullptr && shapes.size() + pending.size() < kMaxShapes) {
      for (const ir::Node* inner : ir::IfView(*value.node).results(value.index)) pending.push_back(inner);
    } else {
      shapes.push_back(value.shape());
    }
  }
  return shapes;
}

/// Whether the value of `result` may have `shape` in a run.
bool may_have_shape(const ir::Node& result, const ir::PartialShape& shape) {
  return std::ranges::any_of(possible_shapes(result), [&](const ir::PartialShape& possible) {
    return ir::intersect(possible, shape).has_value();
  });
}

bool can_be_equal(const ir::PartialShape& a, const ir::PartialShape& b) {
  if (a.rank() != b.rank()) return a.rank() <= 1 && b.rank() <= 1;
  return ir::intersect(a, b).has_value();
}

/// Whether `output`, of an If, is copied with a size that the runtime may not update.
bool may_have_stale_size(ir::Value output) {
  const auto results = ir::IfView(*output.node).results(output.index);
  const auto then_shapes = possible_shapes(*results[0]);
  const auto else_shapes = possible_shapes(*results[1]);
  const auto has_rank = [](const ir::PartialShape& shape) { return shape.has_rank(); };
  if (output.type() == ir::ElementType::string) return false;
  if (!std::ranges::all_of(then_shapes, has_rank) || !std::ranges::all_of(else_shapes, has_rank))
    return false;
  return std::ranges::any_of(then_shapes, [&](const ir::PartialShape& a) {
    return std::ranges::any_of(else_shapes, [&](const ir::PartialShape& b) {
      return !(a.is_static() && b.is_static()) && can_be_equal(a, b);
    });
  });
}

/// A state of a loop, LoopBody::carried[index].
struct State {
  ir::LoopView loop;
  std::size_t index;

  /// Valid until the loop gets another state.
  ir::Carried& carried() const { return loop.states()[index]; }
};

/// The fault needs three iterations: of two, the second one has another shape than the first, or its memory
/// has not moved.
bool may_iterate_more_than_twice(ir::LoopView loop) {
  const auto count = ir::known_values(loop.trip_count());
  return !count || count->front().min < 0 || count->front().max > 2;
}

/// The states that grow and shrink and that the body reads.
std::vector<State> states_to_separate(ir::Model& model) {
  std::vector<State> states;
  for (const ir::LoopView loop : runnable_loops_of(model)) {
    if (!may_iterate_more_than_twice(loop)) continue;
    const std::vector<bool> is_affected = states_that_grow_and_shrink(loop);
    for (std::size_t i = 0; i < is_affected.size(); ++i) {
      if (is_affected[i] && ir::is_read(loop.states()[i].parameter->value())) states.push_back({loop, i});
    }
  }
  return states;
}

bool has_other_role(const State& state) {
  return ir::count_roles(state.loop.body(), *state.carried().result) > 1;
}

/// Makes the shapes of the results of branches distinct.
class BranchSeparation {
 public:
  explicit BranchSeparation(ir::Model& model) {
    for (const ir::LoopView loop : runnable_loops_of(model)) {
      for (std::size_t i = 0; i < loop.states().size(); ++i)
        states_.emplace(loop.states()[i].result, State{loop, i});
    }
  }

  bool run_on(ir::Node& if_node) {
    bool modified = false;
    for (const ir::Value value : if_node.values()) {
      if (value.output().uses.empty() || separate_.contains(value) || !may_have_stale_size(value)) continue;
      const auto results = ir::IfView(if_node).results(value.index);
      const std::size_t rank =
          std::max(results[0]->output(0).shape.rank(), results[1]->output(0).shape.rank());
      if (const std::optional<State> state = only_state(value.output(), rank)) {
        run_on_next_value(*state, value);
      } else {
        CopyCount copies;
        separate(value, rank, copies);
        read_first_copy(value);
      }
      modified = true;
    }
    return modified;
  }

  /// Makes the shapes of `output`, of an If that gives the next value of `state`, distinct.
  void run_on_next_value(const State& state, ir::Value output) {
    CopyCount copies;
    const ir::Carried& carried = state.carried();
    if (carried.output && !state.loop.runs_at_least_once()) copies.reserved_count = kInitialCopies;
    separate(output, output.shape().rank(), copies);
    ir::infer(*carried.result);
    stack_state(state.loop, carried, copies.reserved_count.value_or(copies.count));
  }

 private:
  /// Gives each branch of `output`, of an If, a different number of copies, starting with `copies`.
  void separate(ir::Value output, std::size_t rank, CopyCount& copies) {
    separate_.insert(output);
    for (ir::Node* const result : ir::IfView(*output.node).results(output.index)) {
      const ir::Value value = result->input(0);
      const bool is_inner_if = copies.count < kMaxCopies && is_of_if(*result, rank);
      if (is_inner_if && !separate_.contains(value) && may_have_stale_size(value)) {
        separate(value, rank, copies);
      } else {
        ir::Builder builder = ir::builder_beside(*value.node);
        result->set_input(0, stack_copies(builder, value, copies.count, rank));
        copies.increase();
      }
      ir::infer(*result);
    }
    ir::infer(*output.node);
  }

  /// The state whose next value `output` is; no value if `output` has other uses.
  std::optional<State> only_state(const ir::Output& output, std::size_t rank) const {
    if (output.uses.size() != 1) return std::nullopt;
    const auto found = states_.find(output.uses[0].node);
    if (found == states_.end()) return std::nullopt;
    const State& state = found->second;
    const ir::Carried& carried = state.carried();
    const bool have_rank = output.shape.has_rank(rank) && carried.parameter->output(0).shape.has_rank(rank) &&
                           state.loop.outer(carried).shape().has_rank(rank);
    return have_rank && !has_other_role(state) ? std::optional(state) : std::nullopt;
  }

  /// States by the Result of the body that gives the next value.
  std::unordered_map<const ir::Node*, State> states_;
  /// The outputs of Ifs whose branches have distinct shapes already.
  ValueSet separate_;
};

/// Gives the loop's output a separate state that the body does not read, with the value that is not stacked.
/// For zero iterations the output is the initial value, whose shape must fit.
void separate_output_state(const State& state) {
  const ir::Carried carried = state.carried();
  const ir::Value initial = state.loop.outer(carried);
  ir::Builder builder = ir::builder_beside(*carried.result);
  const ir::Value parameter = builder.parameter(initial.type(), initial.shape());
  ir::Node& result = builder.result(carried.result->input(0));
  state.loop.add_state(initial, *parameter.node, result).output = carried.output;
  state.carried().output.reset();
}

/// Gives the initial value another shape than all next values have. Returns whether they could be equal
/// before.
bool separate_initial_shape(BranchSeparation& separation, const State& state) {
  const ir::PartialShape initial = known_shape(state.loop.outer(state.carried()));
  if (!initial.has_rank() || !may_have_shape(*state.carried().result, initial)) return false;
  if (has_other_role(state)) {
    ir::Node*& result = state.carried().result;
    result = &ir::builder_beside(*result).result(result->input(0));
  }
  ir::Node& result = *state.carried().result;
  const ir::Value value = result.input(0);
  if (is_of_if(result, initial.rank())) {
    separation.run_on_next_value(state, value);
    return true;
  }
  if (state.carried().output && !state.loop.runs_at_least_once()) separate_output_state(state);
  ir::Builder builder = ir::builder_beside(*value.node);
  result.set_input(0, stack_copies(builder, value, 1, initial.rank()));
  ir::infer(result);
  stack_state(state.loop, state.carried(), kInitialCopies);
  return true;
}

}  // namespace

bool make_shapes_distinct(ir::Model& model, PassContext& context) {
  std::vector<State> states;
  if (context.has(Fault::stale_initial_memory)) states = states_to_separate(model);
  BranchSeparation separation(model);
  std::vector<ir::Graph*> graphs = graphs_of(model);
  std::ranges::reverse(graphs);  // outer Ifs before nested ones
  const auto separate = [&](ir::Node& node) { return node.branches() != nullptr && separation.run_on(node); };
  bool modified = context.has(Fault::branch_output_size) && edit_control_flow(graphs, separate);
  for (const State& state : states) modified = separate_initial_shape(separation, state) || modified;
  return modified;
}

}  // namespace onnx2ir::passes
