// Operations that are discontinuous at 0: the sign of a rounding error decides their result.
#pragma once

#include <algorithm>

#include "ir/graph.hpp"
#include "ir/operation_set.hpp"
#include "passes/analysis/constant_values.hpp"

namespace onnx2ir::passes {

/// Operations whose results are discontinuous where an operand is 0, or where it is an integer.
inline constexpr ir::OperationSet kDiscontinuousAtZero = {
    ops::Equal, ops::NotEqual, ops::Greater, ops::GreaterEqual, ops::Less,  ops::LessEqual, ops::Sign,
    ops::Log,   ops::Divide,   ops::Power,   ops::Ceiling,      ops::Floor, ops::Convert,
};

/// Whether the result of the use is discontinuous where the value is 0. A product or a quotient with a
/// constant is if one of its uses is, also after `most_factors` such products; a conversion to a
/// floating-point type is not.
inline bool is_discontinuous_at_zero(const ir::Use& use, int most_factors = 2) {
  const ir::Node& node = *use.node;
  if (node.is(ops::Convert)) return !ir::is_floating(node.output(0).type);
  const bool is_scaled = node.is_one_of({ops::Multiply, ops::Divide}) && constant_step(node).operand;
  if (!is_scaled) return node.is_one_of(kDiscontinuousAtZero);
  return most_factors > 0 && std::ranges::any_of(node.output(0).uses, [&](const ir::Use& next) {
           return is_discontinuous_at_zero(next, most_factors - 1);
         });
}

/// Whether a use of output 0 of `node` is discontinuous at 0, so that a number that should be 0 must be
/// exactly 0.
inline bool must_have_exact_zero(const ir::Node& node) {
  return std::ranges::any_of(node.output(0).uses,
                             [](const ir::Use& use) { return is_discontinuous_at_zero(use); });
}

}  // namespace onnx2ir::passes
