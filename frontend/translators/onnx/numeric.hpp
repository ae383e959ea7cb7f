// What translators of numeric operators share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The name of an IR operation as an argument of a template.
template <std::size_t kSize>
struct OperationName {
  // Implicit, so that a table can give plain text. NOLINTNEXTLINE(google-explicit-constructor)
  consteval OperationName(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
  char text[kSize];
};

/// The translator of an operator of one input that is the same operation in OpenVINO.
template <OperationName kName>
Values same_unary(NodeContext& node) {
  return {node.op(kName.text, {node.input(0)})};
}

/// `value` as `type`; the value itself when it is of that type.
Value convert(Builder& builder, Value value, ElementType type);

/// `value` as a float8 or float4, by the node's attributes `saturate` (float8 can do without) and
/// `round_mode`.
Value to_small_float(NodeContext& node, Value value, ElementType type);

/// a / b; integers are rounded toward zero.
Value divide(Builder& builder, Value a, Value b);

/// a / b of floating-point numbers for results that are rounded to integers afterwards: the quotient of equal
/// numbers is 1.
Value exact_quotient(NodeContext& node, Value a, Value b);

/// A scalar made of a value of one element; refuses the node when it cannot have one.
Value scalar(NodeContext& node, Value value, std::string_view what);

/// `value` with dimensions of size 1 inserted before and after its own, so that they lie at [before, before +
/// rank) of the result.
Value with_unit_dimensions(NodeContext& node, Value value, std::int64_t before, std::int64_t after);

/// The sizes of `value` as an i64 vector; a constant when they are known.
Value sizes_of(Builder& builder, Value value);
/// Its size along `axis` as an i64 scalar.
Value size_of(Builder& builder, Value value, std::int64_t axis);
/// The axes [first, last) as an i64 vector.
Value axes_between(Builder& builder, std::int64_t first, std::int64_t last);

/// Emits a reduction; by no axes, what is left of it.
Value reduce(Builder& builder, std::string_view op, Value value, Value axes, bool keep_dims = true);

}  // namespace onnx2ir::frontend
