// ONNX's operations on sequences, as tensor operations on packed sequences. Positions are i64 scalars;
// negative ones count from the end. Invalid operations throw Failure (invalid_node).
#pragma once

#include "frontend/graph/operand.hpp"

namespace onnx2ir::frontend {

/// Converts `sequence` to the packed form, with elements of `rank`.
Sequence pack(ir::Builder& builder, const Sequence& sequence, std::int64_t rank);

/// The shapes of the packed `sequence` of scalars: i64 [count, 0].
ir::Value emit_shapes_of_scalars(ir::Builder& builder, const Sequence& sequence);

/// The number of elements, an i64 scalar.
ir::Value emit_length(ir::Builder& builder, const Sequence& sequence);

/// Element `position`.
ir::Value take_element(ir::Builder& builder, const Sequence& sequence, ir::Value position);

/// Inserts `tensor` before `position`, or at the end if that is null.
Sequence insert(ir::Builder& builder, const Sequence& sequence, ir::Value tensor, ir::Value position);

/// Removes the element at `position`, or the last one if that is null.
Sequence erase(ir::Builder& builder, const Sequence& sequence, ir::Value position);

/// Concatenates all elements along `axis`; if `new_axis`, stacks them along that axis.
ir::Value concatenate(ir::Builder& builder, const Sequence& sequence, std::int64_t axis, bool new_axis);

/// Splits `tensor` along `axis`. `lengths` is null (slices of one), a scalar (equal slices; the last one may
/// be shorter) or a list. `keep_dimension` only matters for slices of one.
Sequence split(ir::Builder& builder, ir::Value tensor, ir::Value lengths, std::int64_t axis,
               bool keep_dimension);

/// Shared by the operations on packed sequences.
namespace packed {

using ir::Builder;
using ir::ElementType;
using ir::PartialShape;
using ir::Value;

inline std::int64_t rank_of(const PartialShape& shape) {
  return static_cast<std::int64_t>(shape.rank());
}
/// The rank of `value` or of the elements; throws Failure (invalid_node) if it is not known.
std::int64_t rank_of(Value value);
std::int64_t element_rank(const Sequence& sequence);
/// Throws Failure (invalid_node) if elements may differ in rank.
void check_one_rank(const Sequence& sequence);
/// Sets the shape of the elements of `sequence` from its elements.
void describe_elements(Sequence& sequence);
/// The number of tensors of the packed `sequence`: an i64 scalar.
Value emit_packed_length(Builder& builder, const Sequence& sequence);

}  // namespace packed

}  // namespace onnx2ir::frontend
