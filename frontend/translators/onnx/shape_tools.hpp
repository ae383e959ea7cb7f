// Helpers for translators of shape operators, in addition to ir/shape_tools.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/graph/node_context.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {

/// `value` in a static shape; no operation is emitted if it is a constant.
Value reshape_constant(Builder& builder, Value value, const std::vector<std::int64_t>& shape);
/// Input `index`, which has one element, as a vector of `type`; fails if it is absent.
Value read_vector(NodeContext& node, std::size_t index, ElementType type);
/// The same; null if it is absent.
Value read_optional_vector(NodeContext& node, std::size_t index, ElementType type);
/// A value of one element as a scalar.
Value reshape_to_scalar(Builder& builder, Value value);
/// An index list or scalar as a list, i64 [n].
Value convert_to_list(Builder& builder, Value value);

/// A shape of `rank` sizes that are 1 but for `size` along `axis`.
std::vector<std::int64_t> shape_along(std::int64_t axis, std::int64_t rank, std::int64_t size = -1);
/// The sizes along the axes [first, last), each i64 [1].
Values dimensions_of(Builder& builder, Value value, std::int64_t first, std::int64_t last);

/// 0, 1, ... `end` - 1, for a scalar `end` of `type`.
Value emit_range(Builder& builder, Value end, ElementType type);
/// The indices of the true elements of a boolean vector, i64.
Value find_true(Builder& builder, Value marks);
/// Gather along `axis` by indices that differ along the first axis of `from` and `indices`.
Value gather_in_rows(Builder& builder, Value from, Value indices, std::int64_t axis);
/// All outputs of a node.
Values outputs_of(ir::Node& node);

/// `data` with `updates` at `indices` along `axis`. `reduction` joins them with the elements of `data`.
Value scatter(Builder& builder, Value data, Value indices, Value updates, std::int64_t axis,
              std::string_view reduction = "none");
/// `value` between paddings of the number `filler`; `begins` and `ends` are lists of their sizes.
Value pad_with(Builder& builder, Value value, Value begins, Value ends, double filler = 0);

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
