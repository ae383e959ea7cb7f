#include "frontend/translators/onnx/numeric.hpp"

#include <algorithm>
#include <numeric>

#include "ir/checked_arithmetic.hpp"
#include "ir/shape_tools.hpp"
#include "ir/value_ranges.hpp"
#include "target/faults.hpp"

namespace onnx2ir::frontend {

Value add_if_present(Builder& builder, Value a, Value b) {
  if (!a || !b) return a ? a : b;
  return builder.op(ops::Add, {a, b});
}

Value multiply_by(Builder& builder, Value value, double factor) {
  return factor == 1 ? value : builder.op(ops::Multiply, {value, builder.number_like(factor, value)});
}

Value divide(Builder& builder, Value a, Value b) {
  return builder.op(ops::Divide, {a, b}, {{"m_pythondiv", ir::is_floating(a.type())}});
}

Value divide_exactly(NodeContext& node, Value a, Value b) {
  const Value quotient = divide(node, a, b);
  // Only operators tell which quotients must be exact: a row would make every Divide slower.
  if (!node.target().has(Fault::division_by_reciprocal)) return quotient;
  const Value rest = node.op(ops::Subtract, {a, node.op(ops::Multiply, {quotient, b})});
  return node.op(ops::Add, {quotient, divide(node, rest, b)});
}

Value round_to_even(Builder& builder, Value value) {
  return builder.op(ops::Round, {value}, {{"mode", "half_to_even"}});
}

Value mat_mul(Builder& builder, Value a, Value b, Transposed transposed) {
  return builder.op(ops::MatMul, {a, b}, {{"transpose_a", transposed.a}, {"transpose_b", transposed.b}});
}

Value cumulative_sum(Builder& builder, Value value, std::int64_t axis) {
  return builder.op(ops::CumSum, {value, builder.integer(axis)}, {{"exclusive", false}, {"reverse", false}});
}

ir::Node& top_k(Builder& builder, Value value, Value k, std::int64_t axis, std::string_view mode,
                ElementType index_type) {
  return builder.node(ops::TopK, {value, k},
                      {{"axis", axis},
                       {"mode", std::string(mode)},
                       {"sort", "value"},
                       {"index_element_type", index_type},
                       {"stable", true}},
                      2);
}

Value require_scalar(NodeContext& node, Value value, std::string_view what) {
  const PartialShape& shape = value.shape();
  if (!shape.has_rank() || shape.is_scalar()) return value;
  for (const ir::Dimension& dimension : shape) {
    if (!dimension.admits(1)) node.fail(std::string(what) + " must have one element");
  }
  if (const auto known = ir::exact_values(value); known && known->size() == 1) {
    return node.integer(known->front(), value.type());
  }
  return node.op(ops::Squeeze, {value, emit_axes_between(node, 0, static_cast<std::int64_t>(shape.rank()))});
}

Value add_unit_dimensions(NodeContext& node, Value value, std::int64_t before, std::int64_t after) {
  const std::int64_t rank = node.rank(value);
  std::vector<std::int64_t> axes = numbers_between(0, before + rank + after);
  axes.erase(axes.begin() + before, axes.begin() + before + rank);
  return unsqueeze(node, value, axes);
}

std::vector<std::int64_t> numbers_between(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> numbers(ir::checked_count(std::max<std::int64_t>(last - first, 0)));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

Value emit_axes_between(Builder& builder, std::int64_t first, std::int64_t last) {
  return builder.integers(numbers_between(first, last));
}

Value reduce_over(Builder& builder, ir::Op op, Value value, Value axes, bool keep_dims) {
  if (axes.shape().element_count() != 0) return builder.op(op, {value, axes}, {{"keep_dims", keep_dims}});
  // Reduces each element by itself: the norm of one element is its absolute value.
  return op == ops::ReduceL1 || op == ops::ReduceL2 ? builder.op(ops::Abs, {value}) : value;
}

}  // namespace onnx2ir::frontend
