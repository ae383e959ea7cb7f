// Helpers for operations on packed sequences.
#pragma once

#include "frontend/graph/operand.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend::packed {

std::int64_t rank_of(const ir::PartialShape& shape);
std::int64_t rank_of(ir::Value value);
/// The rank of the elements; throws Failure (invalid_node) if it is not known.
std::int64_t element_rank(const Sequence& sequence);
/// Throws Failure (invalid_node) if elements may differ in rank.
void check_one_rank(const Sequence& sequence);
/// Sets the element type and shape of `sequence` from its elements.
void describe_elements(Sequence& sequence);

/// `value`, which has one element, as a scalar.
ir::Value scalar(ir::Builder& builder, ir::Value value);
/// Rows [begin, end) of `value`; both are i64 scalars.
ir::Value rows(ir::Builder& builder, ir::Value value, ir::Value begin, ir::Value end);

/// The number of elements of each tensor of the packed `sequence`: i64 [count].
ir::Value sizes(ir::Builder& builder, const Sequence& sequence);
/// The number of tensors of the packed `sequence`: an i64 scalar.
ir::Value packed_length(ir::Builder& builder, const Sequence& sequence);

}  // namespace onnx2ir::frontend::packed
