// One step from a size to the size that it equals in every run.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// A dimension of a value, or an element of one (in C order).
struct Place {
  Value value;
  std::size_t index = 0;
  bool is_element = false;

  friend bool operator==(const Place&, const Place&) = default;
};

/// The dimensions of the operands that a dimension of the elementwise `node`, of rank `rank`, comes from;
/// empty if the rank of an operand is unknown.
std::vector<Place> operand_dimensions(const Node& node, std::size_t rank, std::size_t axis);

/// The other operand if `sum` is `start` plus another value; null otherwise.
Value added_to(Value start, Value sum);

/// The dimension or element that has the same value; no value if none is known. A Reshape may copy the
/// dimension of its input instead, if the size is 0 (`special_zero`): the caller checks this.
std::optional<Place> previous_place(const Place& place);

}  // namespace onnx2ir::ir
