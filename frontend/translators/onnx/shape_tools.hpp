// What translators of shape operators are made of, besides ir/shape_tools.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/graph/node_context.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {

/// `value` in a static shape, without an operation if it is a constant.
Value reshape_constant(Builder& builder, Value value, const std::vector<std::int64_t>& shape);
/// An index list or scalar as a list, i64 [n].
Value as_list(Builder& builder, Value value);

/// `list` with its length made known: `length`, when inference does not know it.
Value of_length(Builder& builder, Value list, std::int64_t length);
/// A list that names the dimensions of output 0, as i64. A list of unknown length gets the rank that the
/// model declares for the output; without such a rank the node is refused.
Value dimension_list(NodeContext& node, Value list);

/// A number that stands for "to the end" in slices; it fits into 32 bits.
inline constexpr std::int64_t kFarEnd = 0x7fffffff;

}  // namespace onnx2ir::frontend
