// Parameter, Result, Constant, and control flow.
#include <algorithm>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = AttributeSpec::Kind;

/// Whoever made the node has said what its output is.
void keep_output(Node&) {}

/// The output of a Result stands for its input: bodies and model outputs read their types from it.
void infer_result(Node& node) {
  set_output(node, 0, node.input(0).type(), node.input(0).shape());
}

/// Says of which type and shape a body's parameter is; false when it was so already.
bool set_parameter(Node& parameter, ElementType type, const PartialShape& shape) {
  const Output& declared = parameter.output(0);
  if (declared.type == type && declared.shape == shape) return false;
  set_output(parameter, 0, type, shape);
  return true;
}

/// Whether the nodes of bodies have been inferred with the parameters as they are.
enum class Bodies : std::uint8_t { may_have_changed, are_inferred };

bool has_one_element(const PartialShape& shape) {
  return !shape.has_rank() || shape.rank() == 0 || (shape.rank() == 1 && shape[0].admits(1));
}

/// How often a loop runs, when that is certain: a known trip count and first condition, no early exit.
std::optional<std::int64_t> certain_iterations(const Node& node, const LoopBody& loop) {
  const auto trip_count = known_scalar(node.input(0));
  const auto starts = known_scalar(node.input(1));
  if (!trip_count || !starts) return std::nullopt;
  if (*trip_count == 0 || *starts == 0) return 0;
  const auto goes_on = known_scalar(loop.condition->input(0));
  if (!goes_on) return std::nullopt;
  if (*goes_on == 0) return 1;
  return *trip_count < 0 ? std::nullopt : trip_count;
}

/// As the runtime has it: a size of 0 of a state is unknown.
PartialShape without_zeros(PartialShape shape) {
  for (std::size_t i = 0; shape.has_rank() && i < shape.rank(); ++i) {
    if (shape[i] == Dimension(0)) shape[i] = Dimension();
  }
  return shape;
}

/// The elements of a state's final value are those of its result where these are the same in each iteration.
void keep_exact(Node& loop, std::size_t output, Value result) {
  auto known = known_values(result);
  if (known && std::ranges::all_of(*known, &ValueRange::is_exact)) set_known(loop, output, std::move(*known));
}

void infer_loop(Node& node, Bodies bodies) {
  LoopBody& loop = *node.loop();
  if (loop.graph == nullptr || loop.condition == nullptr) return;  // under construction
  require(has_one_element(node.input(0).shape()) && has_one_element(node.input(1).shape()),
          "trip count and execution condition must have one element");
  bool is_inferred = bodies == Bodies::are_inferred;
  // Shapes of the states around only become wider from round to round, and so do those in here: they are
  // kept. Otherwise the rounds would multiply with the depth of loops in loops.
  const bool is_repeated = node.graph().is_inferred_again;
  loop.graph->is_inferred_again = is_repeated;
  for (const Invariant& invariant : loop.invariants) {
    const Value input = node.input(invariant.input);
    if (set_parameter(*invariant.parameter, input.type(), input.shape())) is_inferred = false;
  }
  for (const Sliced& sliced : loop.sliced) {
    const Value input = node.input(sliced.input);
    PartialShape shape = input.shape();
    if (shape.has_rank()) shape[normalize_axis(sliced.axis, shape.rank())] = sliced.part_size;
    if (set_parameter(*sliced.parameter, input.type(), shape)) is_inferred = false;
  }
  for (const Carried& state : loop.carried) {
    const Value input = node.input(state.input);
    PartialShape shape = without_zeros(input.shape());
    if (is_repeated) shape = widen(state.parameter->output(0).shape, shape);
    if (set_parameter(*state.parameter, input.type(), shape)) is_inferred = false;
  }
  // A state's shape holds the initial value and that of every iteration. widen() makes a differing dimension
  // wholly unknown, so each round settles at least one: as many rounds as there are dimensions, mostly one or
  // two.
  constexpr int kMostRounds = 16;
  int round = 0;
  for (bool changed = true; changed;) {
    if (!is_inferred) infer(*loop.graph);
    is_inferred = false;
    changed = false;
    loop.graph->is_inferred_again = true;
    ++round;
    for (const Carried& state : loop.carried) {
      const Output& parameter = state.parameter->output(0);
      const Output& result = state.result->output(0);
      require(parameter.type == result.type, "a carried value changes its element type");
      PartialShape shape = widen(parameter.shape, result.shape);
      // States that hand their shapes on settle one a round: there may be thousands.
      if (round >= kMostRounds && shape.has_rank()) shape = PartialShape::of_rank(shape.rank());
      if (shape == parameter.shape) continue;
      set_parameter(*state.parameter, parameter.type, shape);
      changed = true;
    }
  }
  const auto iterations = certain_iterations(node, loop);
  const bool always_runs = runs_at_least_once(node);
  for (const Carried& state : loop.carried) {
    if (!state.output) continue;
    // OpenVINO gives the output the shape of the body's result. In a zero-iteration loop the output is the
    // initial value, which can have another shape; passes put such a loop into a branch or guard the output.
    const Output& result = state.result->output(0);
    const PartialShape& initial = node.input(state.input).shape();
    const bool is_result = always_runs || state.is_guarded;
    set_output(node, *state.output, result.type, is_result ? result.shape : join(result.shape, initial));
    if (always_runs) keep_exact(node, *state.output, state.result->input(0));
  }
  for (const LastValue& last : loop.last_values) {
    set_output(node, last.output, last.result->output(0).type, last.result->output(0).shape);
  }
  for (const Scan& scan : loop.scans) {
    PartialShape shape = scan.result->output(0).shape;
    if (shape.has_rank()) {
      require(shape.rank() > 0, "a scan output needs an axis to stack along");
      Dimension& stacked = shape[normalize_axis(scan.axis, shape.rank())];
      stacked = iterations ? multiply(stacked, Dimension(*iterations)) : Dimension();
    }
    set_output(node, scan.output, scan.result->output(0).type, shape);
  }
}

void infer_branch(const Node& node, const Branch& branch, Bodies bodies) {
  bool is_inferred = bodies == Bodies::are_inferred;
  branch.graph->is_inferred_again = node.graph().is_inferred_again;
  for (const Invariant& invariant : branch.invariants) {
    const Value input = node.input(invariant.input);
    if (set_parameter(*invariant.parameter, input.type(), input.shape())) is_inferred = false;
  }
  if (!is_inferred) infer(*branch.graph);
}

/// As the runtime joins branches: a dimension unknown in one of them is unknown.
PartialShape join_branches(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape::unknown_rank();
  if (a.rank() != b.rank()) {
    return a.rank() <= 1 && b.rank() <= 1 ? PartialShape::of_rank(1) : PartialShape::unknown_rank();
  }
  return widen(a, b);
}

void infer_if(Node& node, Bodies bodies) {
  const IfBranches& branches = *node.branches();
  if (branches.then_branch.graph == nullptr || branches.else_branch.graph == nullptr) return;
  require(has_one_element(node.input(0).shape()), "the condition of If must have one element");
  infer_branch(node, branches.then_branch, bodies);
  infer_branch(node, branches.else_branch, bodies);
  const auto condition = exact_values(node.input(0));
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    const Output& then_output = branches.then_branch.results[i]->output(0);
    const Output& else_output = branches.else_branch.results[i]->output(0);
    require(then_output.type == else_output.type, "the branches of If give different element types");
    if (condition && condition->size() == 1) {
      const Output& taken = condition->front() != 0 ? then_output : else_output;
      set_output(node, i, taken.type, taken.shape);
    } else {
      set_output(node, i, then_output.type, join_branches(then_output.shape, else_output.shape));
    }
  }
}

template <void (*kInfer)(Node&, Bodies)>
void infer_with_bodies(Node& node) {
  kInfer(node, Bodies::may_have_changed);
}

}  // namespace

void infer_around_bodies(Node& node) {
  if (node.loop() != nullptr) infer_loop(node, Bodies::are_inferred);
  if (node.branches() != nullptr) infer_if(node, Bodies::are_inferred);
}

std::vector<OpDescriptor> structural_ops() {
  constexpr int kMany = OpDescriptor::kVariadic;
  return {
      {"Parameter", "opset1", 0, 0, 1, {}, keep_output, {.is_kept = true}},
      {"Result", "opset1", 1, 1, 1, {}, infer_result, {.is_kept = true, .keeps_shape = true}},
      {"Const", "opset1", 0, 0, 1, {}, keep_output},
      {"Loop", "opset5", 2, kMany, kMany, {}, infer_with_bodies<infer_loop>, {.has_bodies = true}},
      {"If", "opset8", 1, kMany, kMany, {}, infer_with_bodies<infer_if>, {.has_bodies = true}},
  };
}

}  // namespace onnx2ir::ir
