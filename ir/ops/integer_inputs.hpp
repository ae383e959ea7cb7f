// Inputs and outputs of operations with sizes, counts or positions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ir/inference.hpp"
#include "ir/known_values.hpp"

namespace onnx2ir::ir {

/// The known elements of an input; throws Failure (invalid_node) if it has numbers that are not integers.
inline std::optional<KnownValues> known_integers(const Node& node, std::size_t input) {
  const ElementType type = node.input(input).type();
  if (!is_integral(type) && type != ElementType::dynamic)
    invalid("input " + std::to_string(input) + " must have integers, not " + std::string(info(type).name));
  return known_values(node.input(input));
}

/// Checks the type of an output with sizes, counts or positions.
inline void require_index_type(ElementType type) {
  require(type == ElementType::i32 || type == ElementType::i64, "sizes and positions must be i32 or i64");
}

}  // namespace onnx2ir::ir
