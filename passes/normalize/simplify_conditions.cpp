// A body's condition that only says what let the iteration begin becomes constant true: the runtime takes any
// other condition for a possible early exit and gives up static scan dimensions.
#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/loop_ports.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Looks through operations that do not change a boolean of one element.
ir::Value origin_of(ir::Value value) {
  while (true) {
    const ir::Node& node = *value.node;
    const bool passes_through = node.op().traits.reshapes || node.is(ops::Identity) ||
                                (node.is(ops::Convert) && node.input(0).type() == node.output(0).type);
    if (!passes_through) return value;
    value = node.input(0);
  }
}

/// More terms than any real condition has; a model made to have more gets no answer.
constexpr int kMostTerms = 256;

/// Whether `value`, of the loop's body, is true in every iteration that runs. Looks at `terms` values at
/// most.
bool always_true(const ir::Node& node, const ir::LoopBody& loop, ir::Value value, int& terms) {
  if (terms-- <= 0) return false;
  value = origin_of(value);
  if (const auto known = ir::known_scalar(value)) return *known != 0;
  if (value.node->is(ops::LogicalAnd)) {
    return always_true(node, loop, value.node->input(0), terms) &&
           always_true(node, loop, value.node->input(1), terms);
  }
  if (value.node->is(ops::LogicalOr)) {
    return always_true(node, loop, value.node->input(0), terms) ||
           always_true(node, loop, value.node->input(1), terms);
  }
  for (const ir::Carried& state : loop.carried) {
    if (state.parameter != value.node) continue;
    // The state that is the condition itself: no iteration runs in which it is false.
    return state.result == loop.condition && origin_of(node.input(state.input)) == origin_of(node.input(1));
  }
  for (const ir::Invariant& invariant : loop.invariants) {
    if (invariant.parameter == value.node)
      return origin_of(node.input(invariant.input)) == origin_of(node.input(1));
  }
  return false;
}

}  // namespace

bool simplify_conditions(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Node* node : loops_of(model)) {
    const ir::LoopBody& loop = *node->loop();
    const ir::Value condition = loop.condition->input(0);
    int terms = kMostTerms;
    if (condition.node->constant() != nullptr || !always_true(*node, loop, condition, terms)) continue;
    loop.condition->set_input(0, ir::Builder(*loop.graph).boolean(true));
    modified = true;
  }
  return modified;
}

}  // namespace onnx2ir::passes
