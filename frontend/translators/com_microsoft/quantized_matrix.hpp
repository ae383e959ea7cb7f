// Products with a constant matrix of integers.
#pragma once

#include <cstdint>

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

/// Whether the runtime multiplies by a matrix with so many inputs in its integers: see
/// leave_rounding_to_runtime.
bool is_compressed(std::int64_t inputs);

/// `a`, of rank 2 or more, times a constant matrix. `may_round`: whether the runtime may round `a`.
Value multiply_by_weights(Builder& builder, Value a, const QuantizedMatrix& weights, bool may_round);

}  // namespace onnx2ir::frontend
