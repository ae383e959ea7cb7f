// Small pieces that translators of shape operators are made of. They fold what is known at conversion time.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/graph/node_context.hpp"
#include "frontend/translators/onnx/numeric.hpp"

namespace onnx2ir::frontend {

/// The shape of `value`, i64 [rank]; a constant when it is static.
Value shape_of(Builder& builder, Value value);
/// The size of `axis` (not negative), i64 [1]; a constant when it is known.
Value dimension_of(Builder& builder, Value value, std::int64_t axis);
/// `value` in the shape `shape`, which names every dimension (0 is 0, one may be -1).
Value reshape(Builder& builder, Value value, Value shape);
Value reshape(Builder& builder, Value value, std::vector<std::int64_t> shape);
/// `value` in a static shape, without an operation if it is a constant.
Value reshape_constant(Builder& builder, Value value, const std::vector<std::int64_t>& shape);
/// Joins lists or tensors along `axis`.
Value concat(Builder& builder, const Values& values, std::int64_t axis = 0);
Value transpose(Builder& builder, Value value, const std::vector<std::int64_t>& order);
Value gather(Builder& builder, Value from, Value indices, std::int64_t axis = 0);
Value squeeze(Builder& builder, Value value, std::vector<std::int64_t> axes);
Value unsqueeze(Builder& builder, Value value, std::vector<std::int64_t> axes);
/// `value` broadcast to `shape`, one way.
Value broadcast_to(Builder& builder, Value value, Value shape);
/// Slice of one axis, ends clamped; the bounds are i64 [1].
Value slice(Builder& builder, Value value, Value start, Value stop, std::int64_t axis, std::int64_t step = 1);
/// An index list or scalar as a list, i64 [n].
Value as_list(Builder& builder, Value value);

/// `list` with its length made known: `length`, when inference does not know it.
Value of_length(Builder& builder, Value list, std::int64_t length);
/// A list that names the dimensions of output 0, as i64. When its length is not known, the rank the model
/// declares for the output gives it; the node is refused when there is none.
Value dimension_list(NodeContext& node, Value list);

/// A number that stands for "to the end" in slices; it fits into 32 bits.
inline constexpr std::int64_t kFarEnd = 0x7fffffff;

}  // namespace onnx2ir::frontend
