// The CPU plugin adds constants to an f64 product in one operation with the product. If two constants are
// added one after the other and one of them is computed, the sum lacks a constant
// (dropped_double_constant in tests/faults). If both are stored, releases that cannot add f64 constants do
// not compile (double_constant_sums). Here the constants are added to each other first.
#include <optional>

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

/// A sum of f64 and the one in it, which nothing else reads.
struct TwoSums {
  Shifted first;
  Shifted last;
};

std::optional<TwoSums> two_sums(const ir::Node& outer) {
  if (outer.output(0).type != ir::ElementType::f64) return std::nullopt;
  const Shifted last = shifted(outer);
  if (!last.value || !is_used_once(last.value)) return std::nullopt;
  const Shifted first = shifted(*last.value.node);
  if (!first.value) return std::nullopt;
  return TwoSums{first, last};
}

bool are_stored(const TwoSums& sums) {
  return sums.first.constant.node->is(ops::Const) && sums.last.constant.node->is(ops::Const);
}

/// Fault::dropped_double_constant.
bool drops_constant(const ir::Node& outer) {
  const auto sums = two_sums(outer);
  return sums && sums->first.value.node->is(ops::MatMul) && !are_stored(*sums);
}

/// Fault::double_constant_sums.
bool adds_stored_constants(const ir::Node& outer) {
  const auto sums = two_sums(outer);
  return sums && are_stored(*sums);
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
          .summary = "Adds f64 constants to each other before they are added to data",
          .rows = {
              LegalizationRow{Fault::dropped_double_constant, kSums, drops_constant, replace<combined>},
              LegalizationRow{Fault::double_constant_sums, kSums, adds_stored_constants, replace<combined>}}};
}

}  // namespace onnx2ir::passes
