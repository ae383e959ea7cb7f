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
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/inference.hpp"
#include "passes/analysis/axes.hpp"
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

/// The If whose output is the value of `result`, a Result of a body, if the output has rank `rank` and no
/// other uses. Null for all other values.
ir::Node* producing_if(const ir::Node& result, std::size_t rank) {
  const ir::Value value = result.input(0);
  const ir::Output& output = value.output();
  const bool fits = value.node->branches() != nullptr && output.uses.size() == 1 && output.shape.has_rank() &&
                    output.shape.rank() == rank;
  return fits ? value.node : nullptr;
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

/// Whether output `index` of the If is copied with a size that the runtime may not update.
bool may_have_stale_size(ir::Node& if_node, std::size_t index) {
  const auto results = ir::IfView(if_node).results(index);
  const auto then_shapes = possible_shapes(*results[0]);
  const auto else_shapes = possible_shapes(*results[1]);
  const auto has_rank = [](const ir::PartialShape& shape) { return shape.has_rank(); };
  if (if_node.output(index).type == ir::ElementType::string) return false;
  if (!std::ranges::all_of(then_shapes, has_rank) || !std::ranges::all_of(else_shapes, has_rank))
    return false;
  return std::ranges::any_of(then_shapes, [&](const ir::PartialShape& a) {
    return std::ranges::any_of(else_shapes, [&](const ir::PartialShape& b) {
      return !(a.is_static() && b.is_static()) && can_be_equal(a, b);
    });
  });
}

/// A state of a loop. Valid until the loop gets another state.
struct State {
  ir::LoopView loop;
  ir::Carried* carried;
};

/// The fault needs three iterations: of two, the second one has another shape than the first, or its memory
/// has not moved.
bool may_iterate_more_than_twice(ir::LoopView loop) {
  const auto count = ir::known_values(loop.trip_count());
  return !count || count->front().min < 0 || count->front().max > 2;
}

/// A state, LoopBody::carried[index], that grows and shrinks and that the body reads.
struct StateToSeparate {
  ir::LoopView loop;
  std::size_t index;
};

std::vector<StateToSeparate> states_to_separate(ir::Model& model) {
  std::vector<StateToSeparate> states;
  for (const ir::LoopView loop : runnable_loops_of(model)) {
    if (!may_iterate_more_than_twice(loop)) continue;
    const std::vector<bool> is_affected = states_that_grow_and_shrink(loop);
    for (std::size_t i = 0; i < is_affected.size(); ++i) {
      if (is_affected[i] && ir::is_read(loop.states()[i].parameter->value())) states.push_back({loop, i});
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

/// Makes the shapes of the results of branches distinct.
class BranchSeparation {
 public:
  explicit BranchSeparation(ir::Model& model) {
    for (const ir::LoopView loop : runnable_loops_of(model)) {
      for (ir::Carried& state : loop.states()) states_.emplace(state.result, State{loop, &state});
    }
  }

  bool run_on(ir::Node& if_node) {
    bool modified = false;
    for (std::uint32_t i = 0; i < if_node.outputs().size(); ++i) {
      if (if_node.output(i).uses.empty() || is_separate(if_node, i) || !may_have_stale_size(if_node, i))
        continue;
      const auto results = ir::IfView(if_node).results(i);
      const std::size_t rank =
          std::max(results[0]->output(0).shape.rank(), results[1]->output(0).shape.rank());
      if (const std::optional<State> state = only_state(if_node.output(i), rank)) {
        run_on_next_value(*state, if_node, i);
      } else {
        CopyCount copies;
        separate(if_node, i, rank, copies);
        read_first_copy(if_node.value(i));
      }
      modified = true;
    }
    return modified;
  }

  /// Makes the shapes of output `index` of `if_node`, the next value of `state`, distinct.
  void run_on_next_value(const State& state, ir::Node& if_node, std::uint32_t index) {
    CopyCount copies;
    if (state.carried->output && !state.loop.runs_at_least_once()) copies.reserved_count = kInitialCopies;
    separate(if_node, index, if_node.output(index).shape.rank(), copies);
    ir::infer(*state.carried->result);
    stack_state(state.loop, *state.carried, copies.reserved_count.value_or(copies.count));
  }

 private:
  bool is_separate(const ir::Node& if_node, std::uint32_t index) const {
    const auto found = separate_.find(&if_node);
    return found != separate_.end() && found->second.contains(index);
  }

  /// Gives each branch of output `index` a different number of copies, starting with `copies`.
  void separate(ir::Node& if_node, std::uint32_t index, std::size_t rank, CopyCount& copies) {
    separate_[&if_node].insert(index);
    for (ir::Node* const result : ir::IfView(if_node).results(index)) {
      const ir::Value value = result->input(0);
      ir::Node* const inner = copies.count < kMaxCopies ? producing_if(*result, rank) : nullptr;
      if (inner != nullptr && !is_separate(*inner, value.index) && may_have_stale_size(*inner, value.index)) {
        separate(*inner, value.index, rank, copies);
      } else {
        ir::Builder builder = ir::builder_beside(*value.node);
        result->set_input(0, stack_copies(builder, value, copies.count, rank));
        copies.increase();
      }
      ir::infer(*result);
    }
    ir::infer(if_node);
  }

  /// The state whose next value `output` is; no value if `output` has other uses.
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

  /// States by the Result of the body that gives the next value.
  std::unordered_map<const ir::Node*, State> states_;
  /// The outputs of Ifs whose branches have distinct shapes already.
  std::unordered_map<const ir::Node*, std::unordered_set<std::uint32_t>> separate_;
};

/// Gives the loop's output a separate state that the body does not read, with the value that is not stacked.
/// For zero iterations the output is the initial value, whose shape must fit.
void separate_output_state(ir::LoopView loop, std::size_t index) {
  const ir::Carried state = loop.states()[index];
  const ir::Value initial = loop.outer(state);
  ir::Builder builder = ir::builder_beside(*state.result);
  const ir::Value parameter = builder.parameter(initial.type(), initial.shape());
  loop.add_state(initial, *parameter.node, builder.result(state.result->input(0))).output = state.output;
  loop.states()[index].output.reset();
}

/// Gives the initial value another shape than all next values have. Returns whether they could be equal
/// before.
bool separate_initial_shape(BranchSeparation& separation, const StateToSeparate& affected) {
  const ir::LoopView loop = affected.loop;
  const auto carried = [&]() -> ir::Carried& { return loop.states()[affected.index]; };
  const ir::PartialShape initial = known_shape(loop.outer(carried()));
  if (!initial.has_rank() || !may_have_shape(*carried().result, initial)) return false;
  if (has_other_role(loop.body(), carried())) {
    ir::Builder builder = ir::builder_beside(*carried().result);
    carried().result = &builder.result(carried().result->input(0));
  }
  const ir::Value value = carried().result->input(0);
  if (ir::Node* const if_node = producing_if(*carried().result, initial.rank())) {
    separation.run_on_next_value({loop, &carried()}, *if_node, value.index);
    return true;
  }
  if (carried().output && !loop.runs_at_least_once()) separate_output_state(loop, affected.index);
  ir::Builder builder = ir::builder_beside(*value.node);
  carried().result->set_input(0, stack_copies(builder, value, 1, initial.rank()));
  ir::infer(*carried().result);
  stack_state(loop, carried(), kInitialCopies);
  return true;
}

bool separate_branches(ir::Model& model, BranchSeparation& separation) {
  std::vector<ir::Graph*> graphs = graphs_of(model);
  std::ranges::reverse(graphs);  // outer Ifs before nested ones
  return edit_control_flow(
      graphs, [&](ir::Node& node) { return node.branches() != nullptr && separation.run_on(node); });
}

}  // namespace

bool make_shapes_distinct(ir::Model& model, PassContext& context) {
  std::vector<StateToSeparate> states;
  if (context.has(Fault::stale_initial_memory)) states = states_to_separate(model);
  BranchSeparation separation(model);
  bool modified = context.has(Fault::branch_output_size) && separate_branches(model, separation);
  for (const StateToSeparate& state : states)
    modified = separate_initial_shape(separation, state) || modified;
  return modified;
}

}  // namespace onnx2ir::passes
