// Computes the bits of numbers by arithmetic, because OpenVINO has no operation that reads them.
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// An i32 whose lowest bits are those of `value`, of f32, f16 or an integer type of at most 32 bits.
Value convert_to_bits(NodeContext& node, Value value);

}  // namespace onnx2ir::frontend
