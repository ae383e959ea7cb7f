// Helpers for translators, in addition to ir/shape_tools.hpp.
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
/// is exactly 1. Computed in f32 where the model computes in bf16 or f16.
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

/// The `k` largest (mode "max") or smallest ("min") elements along `axis`, and their indices. If they are
/// sorted by "value", the first one of equal elements comes first.
ir::Node& top_k(Builder& builder, Value value, Value k, std::int64_t axis, std::string_view mode = "max",
                ElementType index_type = ElementType::i64, std::string_view sort = "value");

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

/// Computes the bits of numbers by arithmetic, because OpenVINO has no operation that reads them: an i32
/// whose lowest bits are those of `value`, of f32, f16 or an integer type of at most 32 bits.
Value convert_to_bits(NodeContext& node, Value value);

/// (x - mean) / sqrt(variance + epsilon) over `axes`.
Value normalize_over(Builder& builder, Value x, Value axes, double epsilon);
/// 1 / sqrt(mean(x * x) + epsilon) over `axes`, which the result has with size 1.
Value compute_inverse_rms(Builder& builder, Value x, Value axes, double epsilon);
/// x / sqrt(mean(x * x) + epsilon) over the last axis.
Value normalize_by_rms(Builder& builder, Value x, double epsilon);

/// `value` in a static shape; no operation is emitted if it is a constant.
Value reshape_constant(Builder& builder, Value value, const std::vector<std::int64_t>& shape);
/// Input `index`, which has one element, as a vector of `type`; fails if it is absent.
Value read_vector(NodeContext& node, std::size_t index, ElementType type);
/// The same; null if it is absent.
Value read_optional_vector(NodeContext& node, std::size_t index, ElementType type);
/// An index list or scalar as a list, i64 [n].
Value convert_to_list(Builder& builder, Value value);

/// A shape of `rank` sizes that are 1 but for `size` along `axis`.
std::vector<std::int64_t> shape_along(std::int64_t axis, std::int64_t rank, std::int64_t size = -1);
/// The sizes along the axes [first, last), each i64 [1].
Values dimensions_of(Builder& builder, Value value, std::int64_t first, std::int64_t last);

/// [N, ..., C] as [N, C, ...].
Value move_channels_first(NodeContext& node, Value value);
/// [N, C, ...] as [N, ..., C].
Value move_channels_last(NodeContext& node, Value value);

/// 0, 1, ... `end` - 1, for a scalar `end` of `type`.
Value emit_range(Builder& builder, Value end, ElementType type);
/// 0, 1, 2 ... up to the size of an axis, i64.
Value enumerate_along(Builder& builder, Value value, std::int64_t axis);
/// The indices of the true elements of a boolean vector, i64.
Value find_true(Builder& builder, Value marks);
/// Gather along `axis` by indices that differ along the first axis of `from` and `indices`.
Value gather_in_rows(Builder& builder, Value from, Value indices, std::int64_t axis);

/// `data` with `updates` at `indices` along `axis`. `reduction` joins them with the elements of `data`.
Value scatter(Builder& builder, Value data, Value indices, Value updates, std::int64_t axis,
              std::string_view reduction = "none");
/// `value` between paddings of the number `filler`; `begins` and `ends` are lists of their sizes.
Value pad_with(Builder& builder, Value value, Value begins, Value ends, double filler = 0);

/// Makes the node of `value` compute in f32 where the model computes in bf16 or f16. Has no effect on a node
/// without floating-point numbers. Returns `value`.
Value mark_precise(Value value);

/// The squares of the distances between the rows of `a` [m, n] and `b` [k, n]: [m, k]. |a|^2 + |b|^2 - 2 a b
/// takes much less time than differences, and is accurate enough because the mean of `b` is subtracted first,
/// and because it is computed in f32 where the model computes in bf16.
Value emit_squared_distances(Builder& builder, Value a, Value b);

/// `axes` of `rank` axes, counted from the first one, in their order, each once.
ir::Integers distinct_axes(const NodeContext& node, ir::Integers axes, std::int64_t rank);
/// Fails if an axis occurs twice in `axes`; negative ones count from the end of `rank` axes.
void reject_repeated_axes(const NodeContext& node, std::span<const std::int64_t> axes, std::int64_t rank);

/// `list` with the static length `length`, if inference does not know its length.
Value set_length(Builder& builder, Value list, std::int64_t length);
/// A list of the dimensions of output 0, as i64. If its length is dynamic, it is the declared rank of the
/// output; fails without a declared rank.
Value convert_to_dimensions(NodeContext& node, Value list);

/// "To the end" in slices; fits into 32 bits.
inline constexpr std::int64_t kFarEnd = 0x7fffffff;

}  // namespace onnx2ir::frontend
