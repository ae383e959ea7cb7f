// Inputs and outputs of operations with sizes, counts or positions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

/// The axes in [0, rank) if they are known; negative ones count from `rank`.
inline std::optional<std::vector<std::size_t>> known_axes(Value list, std::size_t rank) {
  const auto axes = exact_values(list);
  if (!axes) return std::nullopt;
  std::vector<std::size_t> result;
  for (const std::int64_t axis : *axes) result.push_back(normalize_axis(axis, rank));
  return result;
}

/// Checks the type of an output with sizes, counts or positions.
inline void require_index_type(ElementType type) {
  require(type == ElementType::i32 || type == ElementType::i64, "sizes and positions must be i32 or i64");
}

}  // namespace onnx2ir::ir
