// Products with a constant matrix of integers.
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

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
