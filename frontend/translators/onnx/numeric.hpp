// Helpers for translators of numeric operators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "frontend/graph/node_context.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {

/// The translator of an operator with one input that is the same operation in OpenVINO.
template <ir::Op kOperation>
Values same_unary(NodeContext& node) {
  return {node.op(kOperation, {node.input(0)})};
}

/// `value` as a float8 or float4, according to the node's attributes `saturate` (optional for float8) and
/// `round_mode`.
Value to_small_float(NodeContext& node, Value value, ElementType type);

/// a / b; integers are rounded toward zero.
Value divide(Builder& builder, Value a, Value b);

/// a / b in floating point for results that are rounded to integers afterwards: the quotient of equal numbers
/// is exactly 1.
Value exact_quotient(NodeContext& node, Value a, Value b);

/// A value of one element as a scalar; fails if it cannot have exactly one.
Value scalar(NodeContext& node, Value value, std::string_view what);

/// `value` with dimensions of size 1 inserted before and after its own, which are then [before, before +
/// rank) of the result.
Value with_unit_dimensions(NodeContext& node, Value value, std::int64_t before, std::int64_t after);

/// The axes [first, last) as an i64 vector.
Value axes_between(Builder& builder, std::int64_t first, std::int64_t last);

/// Emits a reduction over `axes`. If there are no axes, emits its effect on single elements.
Value reduce_over(Builder& builder, ir::Op op, Value value, Value axes, bool keep_dims);

}  // namespace onnx2ir::frontend
