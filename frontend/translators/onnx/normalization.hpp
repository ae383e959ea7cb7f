// Parts of normalisations.
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// (x - mean) / sqrt(variance + epsilon) over `axes`.
Value normalize_over(Builder& builder, Value x, Value axes, double epsilon);
/// 1 / sqrt(mean(x * x) + epsilon) over `axes`, which the result has with size 1.
Value compute_inverse_rms(Builder& builder, Value x, Value axes, double epsilon);

}  // namespace onnx2ir::frontend
