// Random numbers, for operators that draw them.
#pragma once

#include <cstdint>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Seeds for one stream of random numbers. If both are 0, OpenVINO chooses seeds when it compiles the model.
struct Seeds {
  std::int64_t global = 0;
  std::int64_t of_op = 0;
};

/// Draws `samples` (i64 [1]) classes with replacement for each row of `log_probabilities` [rows, classes],
/// which need not be normalised. The result is [rows, samples] of `type`, i32 or i64.
Value draw_classes(Builder& builder, Value log_probabilities, Value samples, ElementType type, Seeds seeds);

}  // namespace onnx2ir::frontend
