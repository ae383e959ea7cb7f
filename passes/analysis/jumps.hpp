// Where the sign of a rounding error matters.
#pragma once

#include <algorithm>

#include "ir/graph.hpp"
#include "ir/operation_set.hpp"
#include "passes/analysis/constant_values.hpp"

namespace onnx2ir::passes {

/// Operations whose results jump where an operand is 0, or where it is a whole number.
inline constexpr ir::OperationSet kJumpAtZero = {
    ops::Equal, ops::NotEqual, ops::Greater, ops::GreaterEqual, ops::Less,  ops::LessEqual, ops::Sign,
    ops::Log,   ops::Divide,   ops::Power,   ops::Ceiling,      ops::Floor, ops::Convert,
};

/// Whether the result of the use jumps where the value is 0. A product or a quotient with a number jumps if
/// one of its uses does; a conversion to a floating-point type does not.
inline bool jumps_at_zero(const ir::Use& use, int depth) {
  const ir::Node& node = *use.node;
  if (node.is(ops::Convert)) return !ir::is_floating(node.output(0).type);
  const bool is_scaled = node.is_one_of({ops::Multiply, ops::Divide}) && constant_step(node).operand;
  if (!is_scaled) return node.is_one_of(kJumpAtZero);
  return depth > 0 && std::ranges::any_of(node.output(0).uses, [&](const ir::Use& next) {
           return jumps_at_zero(next, depth - 1);
         });
}
inline bool jumps_at_zero(const ir::Use& use) {
  constexpr int kMostFactors = 2;
  return jumps_at_zero(use, kMostFactors);
}

/// Whether a use of output 0 of `node` jumps at 0, so that a number that should be 0 must be exactly 0.
inline bool must_have_exact_zero(const ir::Node& node) {
  return std::ranges::any_of(node.output(0).uses, [](const ir::Use& use) { return jumps_at_zero(use); });
}

}  // namespace onnx2ir::passes
