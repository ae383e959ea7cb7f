// Converts quantised tensors to numbers, and multiplies by constant matrices of integers.
#pragma once

#include <cstddef>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// A quantised input as f32 numbers: (x - zero point) * scale. A missing zero point is 0.
Value dequantize_input(NodeContext& node, std::size_t data, std::size_t scale, std::size_t zero_point);

/// (integers - zero_point) * scale. The scale and the zero point have one element or one for each output.
struct QuantizedMatrix {
  Value integers;  ///< [inputs, outputs]
  Value scale;
  Value zero_point;  ///< null: 0
};

/// Whether all parts are constants with the shapes above.
bool is_constant(const QuantizedMatrix& matrix);

/// `a`, of rank 2 or more, times a constant matrix. `may_round`: whether the runtime may round `a`.
Value multiply_by_weights(Builder& builder, Value a, const QuantizedMatrix& weights, bool may_round);

}  // namespace onnx2ir::frontend
