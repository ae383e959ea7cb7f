// Dynamic sizes as sums of products of other sizes and constant factors: [n, 16, 8] reshaped to [-1, 4, 8] has the
// size 4 * n, and a cache of p rows to which n are appended has the size p + n.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/size_steps.hpp"

namespace onnx2ir::ir {

/// Whether two sizes are provably the same sum of products.
bool are_equal_products(const Place& a, const Place& b);

/// The size that a Reshape of `data` to `pattern` leaves for a -1, if it is the same in every run in which no
/// size is 0. If a size is 0, onnxruntime gives this size (allowzero = 1) or an error.
std::optional<std::int64_t> remaining_size(Value data, Value pattern, bool special_zero);

}  // namespace onnx2ir::ir
