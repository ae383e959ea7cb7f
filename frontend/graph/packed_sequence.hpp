// Sequences of tensors as pairs of tensors: the operations ONNX has on sequences, as ordinary tensor
// operations. Positions are i64 scalars, negative ones counted from the end. Functions throw ir::InvalidNode
// for what cannot be.
#pragma once

#include "frontend/graph/operand.hpp"

namespace onnx2ir::frontend {

/// `sequence` in the packed form, with elements of `rank`.
Sequence pack(ir::Builder& builder, const Sequence& sequence, std::int64_t rank);

/// The shapes of the packed `sequence` of scalars: i64 [count, 0].
ir::Value shapes_of_scalars(ir::Builder& builder, const Sequence& sequence);

/// The number of elements, an i64 scalar.
ir::Value length(ir::Builder& builder, const Sequence& sequence);

/// Element `position`.
ir::Value at(ir::Builder& builder, const Sequence& sequence, ir::Value position);

/// `sequence` with `tensor` before `position`, at the end when that is null.
Sequence insert(ir::Builder& builder, const Sequence& sequence, ir::Value tensor, ir::Value position);

/// `sequence` without element `position`, without the last when that is null.
Sequence erase(ir::Builder& builder, const Sequence& sequence, ir::Value position);

/// All elements joined along `axis`, which is a new one when `new_axis`.
ir::Value concatenate(ir::Builder& builder, const Sequence& sequence, std::int64_t axis, bool new_axis);

/// The slices of `tensor` along `axis`. `lengths` is null (slices of one), a scalar (equal slices, the last
/// may be shorter) or a list; `keep_dimension` only matters for slices of one.
Sequence split(ir::Builder& builder, ir::Value tensor, ir::Value lengths, std::int64_t axis,
               bool keep_dimension);

}  // namespace onnx2ir::frontend
