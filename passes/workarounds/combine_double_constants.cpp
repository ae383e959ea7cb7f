// The CPU plugin adds constants to an f64 product in one operation with the product. If two constants are
// added one after the other and one of them is computed, the sum lacks a constant
// (dropped_double_constant in tests/faults). Here the constants are added to each other first.
#include "ir/graph.hpp"
#include "passes/analysis/scalar_pattern.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kSums{ops::Add, ops::Subtract};

/// A value plus or minus one that is computed from constants; `value` is null if a node is something else.
struct Shifted {
  ir::Value value;
  ir::Value constant;
};

Shifted shifted(const ir::Node& node) {
  if (!node.is_one_of(kSums)) return {};
  const ir::Value left = node.input(0);
  const ir::Value right = node.input(1);
  if (ir::is_computed_from_constants(right)) return {left, right};
  if (node.is(ops::Add) && ir::is_computed_from_constants(left)) return {right, left};
  return {};
}

bool is_affected(const ir::Node& outer) {
  if (outer.output(0).type != ir::ElementType::f64) return false;
  const Shifted last = shifted(outer);
  if (!last.value || !is_used_once(last.value)) return false;
  const Shifted first = shifted(*last.value.node);
  if (!first.value || !first.value.node->is(ops::MatMul)) return false;
  return !first.constant.node->is(ops::Const) || !last.constant.node->is(ops::Const);
}

/// (product ± a) ± b as product ± (a ± b).
ir::Value combined(ir::Builder& builder, const ir::Node& outer) {
  const Shifted last = shifted(outer);
  const ir::Node& inner = *last.value.node;
  const Shifted first = shifted(inner);
  const ir::Op inner_op = inner.is(ops::Add) ? ops::Add : ops::Subtract;
  const ir::Op op = outer.is(inner_op) ? ops::Add : ops::Subtract;
  return builder.op(inner_op, {first.value, builder.op(op, {first.constant, last.constant})});
}

}  // namespace

Workaround combine_double_constants() {
  return {.name = "combine_double_constants",
          .stage = Stage::operations,
          .summary = "Adds constants to each other before they are added to an f64 product",
          .rows = {LegalizationRow{Fault::dropped_double_constant, kSums, is_affected, replace<combined>}}};
}

}  // namespace onnx2ir::passes
