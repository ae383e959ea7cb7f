// Axes of operations, counted from the front, and the sizes of shapes.
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

/// The shape of `value`. A dimension that is dynamic for OpenVINO, but has the same size in each run, is
/// static: hide_initial_shapes makes such dimensions.
ir::PartialShape known_shape(ir::Value value);

/// Whether a Broadcast to element `index` of `sizes` leaves `axis` of `value` as it is.
bool keeps_size(ir::Value sizes, std::size_t index, ir::Value value, std::size_t axis);

/// The number of axes of dynamic size; 0 for an unknown rank.
std::ptrdiff_t dynamic_dimensions(const ir::PartialShape& shape);

/// Whether `size` is dynamic and has an upper bound.
bool has_bounds(const ir::Dimension& size);

}  // namespace onnx2ir::passes
