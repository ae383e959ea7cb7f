// Helpers for translators and passes that emit small subgraphs. Static shapes and sizes become constants.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/builder.hpp"

namespace onnx2ir::ir {

/// Output 0 of a copy of `node` whose input `index` is `value`.
Value clone_with_input(Builder& builder, const Node& node, std::size_t index, Value value);

/// A constant without elements: one of the sizes in `shape` is 0.
Value emit_empty_constant(Builder& builder, ElementType type, const std::vector<std::int64_t>& shape);

/// `value` as `type`: the value itself if it has the type, a constant if it is a small constant of integers.
Value convert(Builder& builder, Value value, ElementType type);

/// The shape of `value`: i64 [rank].
Value shape_of(Builder& builder, Value value);
/// The same, but always computed by ShapeOf: OpenVINO cannot fold it if `value` hides its shape.
Value compute_shape_of(Builder& builder, Value value);
/// The size along `axis`, which must not be negative: an i64 scalar.
Value size_of(Builder& builder, Value value, std::int64_t axis);
/// The same as a vector: i64 [1].
Value dimension_of(Builder& builder, Value value, std::int64_t axis);

/// `value` reshaped to `shape`, which gives every dimension (0 means 0; one may be -1).
Value reshape(Builder& builder, Value value, Value shape);
/// The same; `value` itself if it has the shape already.
Value reshape(Builder& builder, Value value, const std::vector<std::int64_t>& shape);
/// The same, but 0 keeps the size of `value` along this axis.
Value reshape_keeping(Builder& builder, Value value, Value shape);
Value reshape_keeping(Builder& builder, Value value, const std::vector<std::int64_t>& shape);
/// `value` reshaped to the shape that it has: the same tensor as a value of its own.
Value reshape_to_itself(Builder& builder, Value value);
/// A value of one element as a scalar.
Value reshape_to_scalar(Builder& builder, Value value);
/// `value` reshaped to a vector.
Value flatten(Builder& builder, Value value);
Value squeeze(Builder& builder, Value value, const std::vector<std::int64_t>& axes);
Value unsqueeze(Builder& builder, Value value, const std::vector<std::int64_t>& axes);
Value transpose(Builder& builder, Value value, const std::vector<std::int64_t>& order);
/// `value` with axis `from` at the place `to`, the others following in order; `value` itself if they are
/// equal.
Value move_axis(Builder& builder, Value value, std::int64_t from, std::int64_t to);
/// `value` broadcast to `shape` (unidirectional).
Value broadcast_to(Builder& builder, Value value, Value shape);
/// A tensor of `shape` whose elements are all `number`.
Value fill(Builder& builder, double number, ElementType type, Value shape);

/// A reduction (ReduceSum and the like) over `axes`, which the result does not have.
Value reduce(Builder& builder, Op op, Value value, const std::vector<std::int64_t>& axes);
/// The same, but the result has the size 1 along `axes`.
Value reduce_keep_dims(Builder& builder, Op op, Value value, const std::vector<std::int64_t>& axes);

/// Concatenates along `axis`; returns the value itself if there is only one.
Value concat(Builder& builder, ListArgument<Value> values, std::int64_t axis = 0);
Value gather(Builder& builder, Value from, Value indices, std::int64_t axis = 0);
/// 0, 1, ..., `end` - 1: i64 [end]. `end` is i64 with one element.
Value emit_range(Builder& builder, Value end);
/// `value` reversed along `axis`.
Value reverse(Builder& builder, Value value, std::int64_t axis);
/// A Slice of one axis with clamped ends; the bounds are i64 [1].
Value slice(Builder& builder, Value value, Value start, Value stop, std::int64_t axis, std::int64_t step = 1);
Value slice(Builder& builder, Value value, std::int64_t start, std::int64_t stop, std::int64_t axis,
            std::int64_t step = 1);

/// Whether a tensor of `shape`, which has a rank, may have no elements although it has some along `axis`.
bool may_be_empty_beside(const PartialShape& shape, std::size_t axis);

}  // namespace onnx2ir::ir
