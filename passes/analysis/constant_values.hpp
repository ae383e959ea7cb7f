// Constants and arithmetic with them.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// The magnitudes of the finite elements of a constant that are not 0. Both are 0 if there are none.
struct Magnitudes {
  double smallest;
  double largest;
};

/// No value if `value` is not a constant of numbers, or if it has more bytes than `most_bytes`.
std::optional<Magnitudes> magnitudes(ir::Value value, std::uint64_t most_bytes);

/// A sum, difference or product of a value and a constant in any order, or a quotient of a value and a
/// constant.
struct ConstantStep {
  ir::Value operand;
  ir::Value constant;
};

/// The operand is null if `node` is something else, or neither operand is computed from constants.
ConstantStep constant_step(const ir::Node& node);

}  // namespace onnx2ir::passes
