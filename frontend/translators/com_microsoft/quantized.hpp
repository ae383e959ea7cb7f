// Converts quantised tensors from and to numbers.
#pragma once

#include <cstddef>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// A quantised input as f32 numbers: (x - zero point) * scale. A missing zero point is 0.
Value dequantized(NodeContext& node, std::size_t data, std::size_t scale, std::size_t zero_point);

/// Numbers as `type`, integers of 8 or 16 bits: round(x / scale) + zero point, saturated.
Value quantized(NodeContext& node, Value x, Value scale, Value zero_point, ElementType type);

}  // namespace onnx2ir::frontend
