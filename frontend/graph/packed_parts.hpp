// What the operations on packed sequences are made of.
#pragma once

#include "frontend/graph/operand.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend::packed {

std::int64_t rank_of(const ir::PartialShape& shape);
std::int64_t rank_of(ir::Value value);
/// The rank of the elements; throws ir::InvalidNode when it is not known.
std::int64_t element_rank(const Sequence& sequence);
/// Throws ir::InvalidNode when elements may differ in rank.
void check_one_rank(const Sequence& sequence);
/// Sets what `sequence` says of its elements from those it has.
void describe_elements(Sequence& sequence);

/// `value`, of one element, as a scalar.
ir::Value scalar(ir::Builder& builder, ir::Value value);
/// Rows [begin, end) of `value`, both i64 scalars.
ir::Value rows(ir::Builder& builder, ir::Value value, ir::Value begin, ir::Value end);

/// How many elements each tensor of the packed `sequence` has: i64 [count].
ir::Value sizes(ir::Builder& builder, const Sequence& sequence);
/// How many tensors the packed `sequence` has: an i64 scalar.
ir::Value packed_length(ir::Builder& builder, const Sequence& sequence);

}  // namespace onnx2ir::frontend::packed
