// The CPU plugin adds constants to an f64 product in one operation with the product. If two constants are
// added one after the other and one of them is computed, the sum lacks a constant
// (dropped_double_constant in tests/faults). If both are stored, releases that cannot add f64 constants do
// not compile (double_constant_sums). Here the constants are added to each other first.
#include <optional>

#include "passes/analysis/constant_values.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// A value plus or minus one that is computed from constants; the operand is null if a node is something
/// else.
ConstantStep shifted(const ir::Node& node) {
  const bool is_shifted =
      node.is(ops::Add) || (node.is(ops::Subtract) && ir::is_computed_from_constants(node.input(1)));
  return is_shifted ? constant_step(node) : ConstantStep{};
}

/// A sum of f64 and the one in it, which nothing else reads.
struct TwoSums {
  ConstantStep first;
  ConstantStep last;
};

std::optional<TwoSums> two_sums(const ir::Node& outer) {
  if (outer.output(0).type != ir::ElementType::f64) return std::nullopt;
  const ConstantStep last = shifted(outer);
  if (!last.operand || !is_used_once(last.operand)) return std::nullopt;
  const ConstantStep first = shifted(*last.operand.node);
  if (!first.operand) return std::nullopt;
  return TwoSums{first, last};
}

bool are_stored(const TwoSums& sums) {
  return sums.first.constant.node->is(ops::Const) && sums.last.constant.node->is(ops::Const);
}

/// Fault::dropped_double_constant.
bool drops_constant(const ir::Node& outer) {
  const auto sums = two_sums(outer);
  return sums && sums->first.operand.node->is(ops::MatMul) && !are_stored(*sums);
}

/// Fault::double_constant_sums.
bool adds_stored_constants(const ir::Node& outer) {
  const auto sums = two_sums(outer);
  return sums && are_stored(*sums);
}

/// (product ± a) ± b as product ± (a ± b).
ir::Value combine(ir::Builder& builder, const ir::Node& outer) {
  const auto [first, last] = *two_sums(outer);
  const ir::Op inner_op = last.operand.node->is(ops::Add) ? ops::Add : ops::Subtract;
  const ir::Op op = outer.is(inner_op) ? ops::Add : ops::Subtract;
  return builder.op(inner_op, {first.operand, builder.op(op, {first.constant, last.constant})});
}

}  // namespace

Workaround combine_double_constants() {
  return {.stage = Stage::operations,
          .summary = "Adds f64 constants to each other before they are added to data",
          .rows = {row<drops_constant, combine>(Fault::dropped_double_constant, kSums),
                   row<adds_stored_constants, combine>(Fault::double_constant_sums, kSums)}};
}

}  // namespace onnx2ir::passes
