// A body condition that forwards the entry condition folds to true. The runtime treats any other condition as
// a possible early exit, and makes scan outputs dynamic.
#include <algorithm>

#include "ir/views/unary.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The value before operations that do not change a boolean of one element.
ir::Value origin_of(ir::Value value) {
  while (true) {
    const ir::Node& node = *value.node;
    const auto convert = ir::match<ir::ConvertView>(node);
    const bool passes_through = node.op().traits.reshapes || node.is(ops::Identity) ||
                                (convert && convert->data().type() == value.type());
    if (!passes_through) return value;
    value = node.input(0);
  }
}

/// More terms than real conditions have; conditions with more are left as they are.
constexpr int kMaxTerms = 256;

/// Whether `value`, of the loop's body, is true in every iteration that runs. Visits at most `terms` values.
bool always_true(ir::LoopView loop, ir::Value value, int& terms) {
  if (terms-- <= 0) return false;
  value = origin_of(value);
  if (const auto known = ir::known_scalar(value)) return *known != 0;
  const auto is_true = [&](ir::Value operand) { return always_true(loop, operand, terms); };
  if (value.node->is(ops::LogicalAnd)) return std::ranges::all_of(value.node->inputs(), is_true);
  if (value.node->is(ops::LogicalOr)) return std::ranges::any_of(value.node->inputs(), is_true);
  const auto is_first_condition = [&](const auto& port) {
    return port.parameter == value.node && origin_of(loop.outer(port)) == origin_of(loop.condition());
  };
  // `value` is the entry condition itself: an iteration only runs if it is true.
  return std::ranges::any_of(loop.body().invariants, is_first_condition) ||
         std::ranges::any_of(loop.states(), [&](const ir::Carried& state) {
           return state.result == loop.body().condition && is_first_condition(state);
         });
}

}  // namespace

bool simplify_conditions(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    const ir::Value condition = loop.next_condition();
    int terms = kMaxTerms;
    if (condition.node->constant() != nullptr || !always_true(loop, condition, terms)) return false;
    loop.body().condition->set_input(0, ir::Builder(loop.graph()).boolean(true));
    return true;
  });
}

}  // namespace onnx2ir::passes
