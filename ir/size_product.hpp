// Dynamic sizes as products of other sizes and a constant factor: [n, 16, 8] reshaped to [-1, 4, 8] has the
// size 4 * n.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/size_steps.hpp"

namespace onnx2ir::ir {

/// Whether two sizes are provably the same product.
bool are_equal_products(const Place& a, const Place& b);

/// The size that a Reshape of `data` to `pattern` leaves for a -1, if it is the same in every run in which no
/// size is 0. If a size is 0, onnxruntime gives this size (allowzero = 1) or an error.
std::optional<std::int64_t> remaining_size(Value data, Value pattern, bool special_zero);

}  // namespace onnx2ir::ir
