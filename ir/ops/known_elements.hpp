// Known elements of the inputs and outputs of operations.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/element_moves.hpp"
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

inline PartialShape unknown() {
  return PartialShape::unknown_rank();
}

/// The interval of the product of `dimensions`.
inline Dimension product(std::span<const Dimension> dimensions) {
  Dimension result = 1;
  for (const Dimension& dimension : dimensions) result = multiply(result, dimension);
  return result;
}

/// Sets the known values of an output of an operation that only moves elements. Its type and shape are set.
inline void move_known(Node& node, std::size_t output = 0) {
  const auto known = known_values(node.input(0));
  const auto from = known ? moved_from(node, output, exact_values) : std::nullopt;
  if (!from) return;
  KnownValues values;
  for (const std::int64_t position : *from) {
    const bool is_inside = position >= 0 && position < static_cast<std::int64_t>(known->size());
    values.push_back(is_inside ? (*known)[static_cast<std::size_t>(position)] : ValueRange{});
  }
  set_known(node, output, std::move(values));
}

/// Copies the known values; for operations that keep the order of the elements.
inline void keep_known(Node& node) {
  if (const auto from = known_values(node.input(0))) set_known(node, 0, *from);
}

}  // namespace onnx2ir::ir
