// Converts quantised tensors to numbers.
#pragma once

#include <cstddef>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// A quantised input as f32 numbers: (x - zero point) * scale. A missing zero point is 0.
Value dequantize_input(NodeContext& node, std::size_t data, std::size_t scale, std::size_t zero_point);

}  // namespace onnx2ir::frontend
