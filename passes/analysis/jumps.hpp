// Where the sign of a rounding error matters.
#pragma once

#include <algorithm>

#include "ir/graph.hpp"
#include "ir/operation_set.hpp"

namespace onnx2ir::passes {

/// Operations whose results jump where an operand is 0, or where it is a whole number.
inline constexpr ir::OperationSet kJumpAtZero = {
    ops::Equal, ops::NotEqual, ops::Greater, ops::GreaterEqual, ops::Less,  ops::LessEqual, ops::Sign,
    ops::Log,   ops::Divide,   ops::Power,   ops::Ceiling,      ops::Floor, ops::Convert,
};

/// Whether such an operation uses output 0 of `node`, so that a number that should be 0 must be exactly 0.
inline bool must_have_exact_zero(const ir::Node& node) {
  return std::ranges::any_of(node.output(0).uses, [](const ir::Use& use) {
    const bool is_rounded = !use.node->is(ops::Convert) || !ir::is_floating(use.node->output(0).type);
    return is_rounded && use.node->is_one_of(kJumpAtZero);
  });
}

}  // namespace onnx2ir::passes
