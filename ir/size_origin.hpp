// Sizes that are equal although nobody knows them before the model runs: both are the same dimension of the
// same value.
#pragma once

#include <optional>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// Whether element `index` of the integers `sizes` is certainly the size of `axis` of `value`.
bool is_size_of(Value sizes, std::size_t index, Value value, std::size_t axis);

/// The truth of a boolean scalar that compares two sizes with the same origin, as in `key.shape[1] ==
/// query.shape[1]` where both are products of one tensor with weights; nothing when that cannot be told.
std::optional<bool> compared_sizes(Value condition);

}  // namespace onnx2ir::ir
