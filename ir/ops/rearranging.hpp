// Shared by operations that rearrange elements: propagation of known elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "ir/element_moves.hpp"
#include "ir/inference.hpp"
#include "ir/value_ranges.hpp"

namespace onnx2ir::ir {

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
