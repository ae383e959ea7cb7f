// The CPU plugin fuses the division of a reduced integer by a constant into the Reduce and rounds the
// quotient to the nearest integer (integer_reduce_then_division in tests/faults). The remainder is subtracted
// from the dividend first: its second use prevents the fusion, and the quotient is an integer.

#include "ir/views/elementwise.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// The input of a node whose other inputs are constants, or null.
ir::Value only_computed_input(const ir::Node& node) {
  ir::Value found;
  if (node.outputs().size() != 1 || node.has_payload()) return {};
  for (const ir::Value input : node.inputs()) {
    if (ir::is_computed_from_constants(input)) continue;
    if (found) return {};
    found = input;
  }
  return found;
}

/// Whether the value is reduced, and its other operations have one use and constants as their other inputs,
/// so that the plugin may fuse them.
bool is_reduced(ir::Value value) {
  constexpr int kMaxSteps = 64;  // bounds the time for long chains of divisions
  for (int step = 0; step < kMaxSteps && value && ir::is_integral(value.type()) && is_used_once(value);
       ++step) {
    if (value.node->op().traits.is_reduction) return true;
    value = only_computed_input(*value.node);
  }
  return false;
}

bool divides_reduced(ir::DivideView divide) {
  return ir::is_computed_from_constants(divide.b()) && is_reduced(divide.a());
}

ir::Value subtract_remainder(ir::Builder& builder, ir::DivideView divide) {
  const ir::Value dividend = divide.a();
  const ir::Value divisor = divide.b();
  const ir::Op remainder = divide.m_pythondiv().value_or(true) ? ops::FloorMod : ops::Mod;
  const ir::Value rest = builder.op(remainder, {dividend, divisor});
  const ir::Value whole = builder.op(ops::Subtract, {dividend, rest});
  return ir::clone_with_input(builder, divide, ir::DivideView::Input::a, whole);
}

}  // namespace

Workaround separate_reduced_divisions() {
  return {
      .stage = Stage::operations,
      .summary = "Subtracts the remainder before a reduced integer is divided by a constant",
      .rows = {row<divides_reduced, subtract_remainder>(Fault::integer_reduce_then_division, {ops::Divide})}};
}

}  // namespace onnx2ir::passes
