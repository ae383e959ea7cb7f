// Axes of operations, counted from the front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/checked_list.hpp"
#include "ir/graph.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"

namespace onnx2ir::passes {

/// 0, 1, ..., `rank` - 1
std::vector<std::int64_t> all_axes(std::size_t rank);

/// The axes of a tensor of `rank` axes that `list` holds, ascending; no value if they are not known. Throws
/// Failure (invalid_node) if one is out of range.
std::optional<ir::Integers> sorted_axes(ir::Value list, std::size_t rank);

/// The axis along which a Concat joins its parts, whose rank is known.
std::size_t joined_axis(ir::ConcatView concat);

/// Whether a Transpose of known order and rank moves nothing but axes of size 1.
bool moves_only_unit_axes(ir::TransposeView transpose);

}  // namespace onnx2ir::passes
