// Helpers for translators of shape operators, in addition to ir/shape_tools.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/graph/node_context.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {

/// `value` in a static shape; no operation is emitted if it is a constant.
Value reshape_constant(Builder& builder, Value value, const std::vector<std::int64_t>& shape);
/// An index list or scalar as a list, i64 [n].
Value as_list(Builder& builder, Value value);

/// Fails if an axis occurs twice in `axes`; negative ones count from the end of `rank` axes.
void reject_repeated_axes(const NodeContext& node, std::span<const std::int64_t> axes, std::int64_t rank);

/// `list` with the static length `length`, if inference does not know its length.
Value of_length(Builder& builder, Value list, std::int64_t length);
/// A list of the dimensions of output 0, as i64. If its length is dynamic, it is the declared rank of the
/// output; fails without a declared rank.
Value dimension_list(NodeContext& node, Value list);

/// "To the end" in slices; fits into 32 bits.
inline constexpr std::int64_t kFarEnd = 0x7fffffff;

}  // namespace onnx2ir::frontend
