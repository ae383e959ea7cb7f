// Shared by the operations on packed sequences: element types, sizes and slices of their tensors.
#pragma once

#include "frontend/graph/operand.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend::packed {

using ir::Builder;
using ir::ElementType;
using ir::PartialShape;
using ir::Value;

std::int64_t rank_of(const PartialShape& shape);
std::int64_t rank_of(Value value);
/// The rank of the elements; throws Failure (invalid_node) if it is not known.
std::int64_t element_rank(const Sequence& sequence);
/// Throws Failure (invalid_node) if elements may differ in rank.
void check_one_rank(const Sequence& sequence);
/// Sets the element type and shape of `sequence` from its elements.
void describe_elements(Sequence& sequence);

/// Rows [begin, end) of `value`; both are i64 scalars.
Value slice_rows(Builder& builder, Value value, Value begin, Value end);

/// The number of elements of each tensor of the packed `sequence`: i64 [count].
Value emit_sizes(Builder& builder, const Sequence& sequence);
/// The number of tensors of the packed `sequence`: an i64 scalar.
Value emit_packed_length(Builder& builder, const Sequence& sequence);

}  // namespace onnx2ir::frontend::packed
