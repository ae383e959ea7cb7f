// Helpers for translators of numeric operators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

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
Value convert_to_small_float(NodeContext& node, Value value, ElementType type);

/// The sum of two values; either may be null.
Value add_if_present(Builder& builder, Value a, Value b);
/// value * factor; the value itself if the factor is 1.
Value multiply_by(Builder& builder, Value value, double factor);
/// a / b; integers are rounded toward zero.
Value divide(Builder& builder, Value a, Value b);

/// a / b in floating point for results that are rounded to integers afterwards: the quotient of equal numbers
/// is exactly 1.
Value divide_exactly(NodeContext& node, Value a, Value b);

/// The nearest integers; of two that are equally near, the even one.
Value round_to_even(Builder& builder, Value value);

/// Which factors of a matrix product are transposed.
struct Transposed {
  bool a = false;
  bool b = false;
};
Value mat_mul(Builder& builder, Value a, Value b, Transposed transposed = {});

/// The sums of the elements up to each element along `axis`.
Value cumulative_sum(Builder& builder, Value value, std::int64_t axis);

/// The `k` largest (mode "max") or smallest ("min") elements along `axis`, sorted, and their indices. Of
/// equal elements the first one comes first.
ir::Node& top_k(Builder& builder, Value value, Value k, std::int64_t axis, std::string_view mode = "max",
                ElementType index_type = ElementType::i64);

/// A value of one element as a scalar; fails if it cannot have exactly one.
Value require_scalar(NodeContext& node, Value value, std::string_view what);

/// `value` with dimensions of size 1 inserted before and after its own, which are then [before, before +
/// rank) of the result.
Value add_unit_dimensions(NodeContext& node, Value value, std::int64_t before, std::int64_t after);

/// first, first + 1, ... last - 1; empty if `last` is not above `first`.
std::vector<std::int64_t> numbers_between(std::int64_t first, std::int64_t last);
/// The axes [first, last) as an i64 vector.
Value emit_axes_between(Builder& builder, std::int64_t first, std::int64_t last);

/// Emits a reduction over `axes`. If there are no axes, emits its effect on single elements.
Value reduce_over(Builder& builder, ir::Op op, Value value, Value axes, bool keep_dims);

}  // namespace onnx2ir::frontend
