// The sizes of a shape that are known at conversion time, also where OpenVINO does not know them.
#pragma once

#include <cstddef>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// The shape of `value`. A dimension that is dynamic for OpenVINO, but has the same size in each run, is
/// static: hide_initial_shapes makes such dimensions.
ir::PartialShape known_shape(ir::Value value);

/// The number of axes of dynamic size; 0 for an unknown rank.
std::ptrdiff_t dynamic_dimensions(const ir::PartialShape& shape);

/// Whether `size` is dynamic and has an upper bound.
bool has_bounds(const ir::Dimension& size);

}  // namespace onnx2ir::passes
