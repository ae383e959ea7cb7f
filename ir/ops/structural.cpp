// Parameter, Result, Constant, and control flow.
#include <algorithm>

#include "ir/control_flow.hpp"
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/size_rules.hpp"

namespace onnx2ir::ir {
namespace {

/// The output type is declared by the creator, not inferred.
void keep_output(Node&) {}

/// Sets type and shape of a body's Parameter, if it has others.
void set_parameter(Node& parameter, ElementType type, const PartialShape& shape) {
  const Output& declared = parameter.output(0);
  if (declared.type != type || declared.shape != shape) declare_output(parameter, 0, type, shape);
}

/// The same for the Parameters of all invariants.
void set_invariants(const Node& node, const Body& body) {
  for (const Invariant& invariant : body.invariants) {
    const Value outer = node.input(invariant.input);
    set_parameter(*invariant.parameter, outer.type(), outer.shape());
    if (copy_sizes(outer, *invariant.parameter)) mark_readers_stale(*invariant.parameter);
  }
}

/// Sets type and shape of a state's Parameter, if it has others. Its sizes are symbols, because they can
/// differ in each iteration.
void set_state(Node& parameter, ElementType type, const PartialShape& shape) {
  const PartialShape& declared = parameter.output(0).shape;
  const auto has_own_sizes = [&] {
    return std::ranges::all_of(declared, [](const Dimension& dimension) {
      return dimension.is_static() || dimension.has_own_symbol();
    });
  };
  if (parameter.output(0).type == type && declared == shape && has_own_sizes()) return;
  declare_output(parameter, 0, type, shape.without_expressions());
}

bool may_have_one_element(const PartialShape& shape) {
  return shape.admits_rank(0) || (shape.rank() == 1 && shape[0].admits(1));
}

/// As in the runtime: a size of 0 of a state is dynamic.
PartialShape without_zeros(PartialShape shape) {
  for (std::size_t i = 0; shape.has_rank() && i < shape.rank(); ++i) {
    if (shape[i] == Dimension(0)) shape[i] = Dimension();
  }
  return shape;
}

/// Sets the known elements of a state's final value if they are the same in each iteration.
void keep_exact(Node& loop, std::size_t output, Value result) {
  auto known = known_values(result);
  if (known && are_exact(*known)) set_known(loop, output, std::move(*known));
}

/// The shape of a state's final value with the expressions of the initial value along the axes whose sizes no
/// iteration changes.
PartialShape with_kept_sizes(PartialShape shape, const Carried& state, const PartialShape& initial) {
  if (!shape.has_rank() || !initial.has_rank() || initial.rank() != shape.rank())
    return shape.without_expressions();
  const PartialShape& before = state.parameter->output(0).shape;
  const PartialShape& after = state.result->output(0).shape;
  if (before.rank() != shape.rank() || after.rank() != shape.rank()) return shape.without_expressions();
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const bool is_kept = before[i].expression() != nullptr && before[i].expression() == after[i].expression();
    shape[i].set_expression(is_kept ? initial[i].expression() : nullptr);
  }
  return shape;
}

bool is_condition(Value value) {
  return value.type() == ElementType::boolean;
}

/// Gives the Parameters of the body the types and shapes of the inputs of the Loop.
void set_parameters(LoopView view) {
  const LoopBody& loop = view.body();
  set_invariants(view.node(), loop);
  for (const Sliced& sliced : loop.sliced) {
    const Value input = view.outer(sliced);
    PartialShape shape = input.shape();
    if (shape.has_rank()) shape[normalize_axis(sliced.axis, shape.rank())] = sliced.part_size;
    set_parameter(*sliced.parameter, input.type(), shape);
  }
  for (const Carried& state : loop.carried) {
    const Value input = view.outer(state);
    PartialShape shape = without_zeros(input.shape());
    // If an enclosing loop is inferred repeatedly, its states only get wider, and so do the states here: they
    // keep their shapes. Otherwise the number of rounds would multiply with the nesting depth.
    if (view.node().graph().is_inferred_again) shape = widen(state.parameter->output(0).shape, shape);
    set_state(*state.parameter, input.type(), shape);
  }
}

/// Infers the body until the shapes of the states contain the initial value and the value of every iteration.
/// widen() makes a different dimension fully dynamic, so each round settles at least one: usually one or two
/// rounds.
void infer_body(LoopBody& loop) {
  constexpr int kMaxRounds = 16;
  bool changed = true;
  for (int round = 1; changed; ++round) {
    changed = false;
    infer_stale(*loop.graph);
    loop.graph->is_inferred_again = true;
    for (const Carried& state : loop.carried) {
      const Output& parameter = state.parameter->output(0);
      const Output& result = state.result->output(0);
      require(parameter.type == result.type, "a carried value changes its element type");
      PartialShape shape = widen(parameter.shape, result.shape);
      // States that pass their shapes to each other settle one per round; there may be thousands.
      if (round >= kMaxRounds) shape = shape.without_sizes();
      if (shape == parameter.shape) continue;
      set_state(*state.parameter, parameter.type, shape);
      changed = true;
    }
  }
}

void set_outputs(LoopView view) {
  Node& node = view.node();
  const LoopBody& loop = view.body();
  const auto iterations = loop.scans.empty() ? std::nullopt : view.iterations();
  const bool always_runs = view.runs_at_least_once();
  for (const Carried& state : loop.carried) {
    if (!state.output) continue;
    // OpenVINO gives the output the shape of the body's result. In a zero-iteration loop the output is the
    // initial value, which can have another shape; passes put such a loop into a branch or guard the output.
    const Output& result = state.result->output(0);
    const PartialShape& initial = view.outer(state).shape();
    const bool is_result = always_runs || state.is_guarded;
    const PartialShape shape = is_result ? result.shape : join(result.shape, initial);
    set_output(node, *state.output, result.type, with_kept_sizes(shape, state, initial));
    if (always_runs) keep_exact(node, *state.output, state.result->input(0));
  }
  for (const LastValue& last : loop.last_values) {
    // The sizes of the body are those of an iteration.
    set_output(node, last.output, last.result->output(0).type,
               last.result->output(0).shape.without_expressions());
  }
  for (const Scan& scan : loop.scans) {
    PartialShape shape = scan.result->output(0).shape.without_expressions();
    if (shape.has_rank()) {
      require(shape.rank() > 0, "a scan output needs an axis to stack along");
      Dimension& stacked = shape[normalize_axis(scan.axis, shape.rank())];
      stacked = iterations ? multiply(stacked, Dimension(*iterations)) : Dimension();
    }
    set_output(node, scan.output, scan.result->output(0).type, shape);
  }
}

void infer_loop(Node& node) {
  const LoopView view(node);
  LoopBody& loop = view.body();
  if (loop.graph == nullptr || loop.condition == nullptr) return;  // under construction
  require(may_have_one_element(view.trip_count().shape()) && may_have_one_element(view.condition().shape()),
          "trip count and execution condition must have one element");
  require(is_integral(view.trip_count().type()) && is_condition(view.condition()) &&
              is_condition(view.next_condition()),
          "the trip count must be an integer, the execution condition boolean");
  loop.graph->is_inferred_again = node.graph().is_inferred_again;
  set_parameters(view);
  infer_body(loop);
  set_outputs(view);
}

void infer_branch(const Node& node, const Branch& branch) {
  branch.graph->is_inferred_again = node.graph().is_inferred_again;
  set_invariants(node, branch);
  infer_stale(*branch.graph);
}

/// As the runtime joins branches: a dimension that is dynamic in one of them is dynamic without bounds, and
/// different static ones give the interval from the smaller to the larger one.
PartialShape join_branches(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape::unknown_rank();
  if (a.rank() != b.rank()) {
    return a.rank() <= 1 && b.rank() <= 1 ? PartialShape::of_rank(1) : PartialShape::unknown_rank();
  }
  PartialShape result = widen(a, b);
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (a[i].is_static() && b[i].is_static()) result[i] = join(a[i], b[i]);
  }
  return result;
}

void infer_if(Node& node) {
  const IfView if_view(node);
  for (const Branch* branch : if_view.branches()) {
    if (branch->graph == nullptr) return;
  }
  require(may_have_one_element(if_view.condition().shape()) && is_condition(if_view.condition()),
          "the condition of If must be one boolean");
  for (const Branch* branch : if_view.branches()) infer_branch(node, *branch);
  const auto condition = known_scalar(if_view.condition());
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    const auto results = if_view.results(i);
    const Output& then_output = results[0]->output(0);
    const Output& else_output = results[1]->output(0);
    require(then_output.type == else_output.type, "the branches of If give different element types");
    if (condition) {
      const Output& taken = *condition != 0 ? then_output : else_output;
      set_output(node, i, taken.type, taken.shape);
    } else {
      set_output(node, i, then_output.type, join_branches(then_output.shape, else_output.shape));
    }
  }
}

}  // namespace

std::vector<OpFunction> structural_functions() {
  // The type of a Result is that of its input: bodies and model outputs read it there.
  return {
      {{ops::Parameter, ops::Const}, keep_output},
      {ops::Loop, infer_loop},
      {ops::If, infer_if},
  };
}

}  // namespace onnx2ir::ir
