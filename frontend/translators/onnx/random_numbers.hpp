// Random numbers, for operators that draw them.
#pragma once

#include <cstdint>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Seeds for one stream of random numbers. If both are 0, OpenVINO chooses others for each compiled model.
struct Seeds {
  std::int64_t global = 0;
  std::int64_t of_op = 0;
};

/// Numbers in [0, 1) of shape `sizes`; other ones in each run.
Value uniform(Builder& builder, const target::Target& target, Value sizes, Seeds seeds);

/// For each row of `log_probabilities` [rows, classes], `samples` (i64 [1]) classes drawn with replacement,
/// of type i32 or i64; other ones in each run. The probabilities need not sum up to 1.
Value drawn_classes(Builder& builder, const target::Target& target, Value log_probabilities, Value samples,
                    ElementType type, Seeds seeds);

}  // namespace onnx2ir::frontend
