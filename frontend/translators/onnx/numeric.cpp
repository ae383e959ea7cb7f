#include "frontend/translators/onnx/numeric.hpp"

#include <algorithm>
#include <numeric>

#include "ir/checked_arithmetic.hpp"
#include "ir/shape_tools.hpp"
#include "ir/value_ranges.hpp"
#include "target/faults.hpp"

namespace onnx2ir::frontend {

Value divide(Builder& builder, Value a, Value b) {
  return builder.op(ops::Divide, {a, b}, {{"m_pythondiv", ir::is_floating(a.type())}});
}

Value exact_quotient(NodeContext& node, Value a, Value b) {
  const AttributeList plain{{"m_pythondiv", true}};
  const Value quotient = node.op(ops::Divide, {a, b}, plain);
  if (!node.target().has(Fault::division_by_reciprocal)) return quotient;
  const Value rest = node.op(ops::Subtract, {a, node.op(ops::Multiply, {quotient, b})});
  return node.op(ops::Add, {quotient, node.op(ops::Divide, {rest, b}, plain)});
}

Value scalar(NodeContext& node, Value value, std::string_view what) {
  const PartialShape& shape = value.shape();
  if (!shape.has_rank() || shape.is_scalar()) return value;
  for (const ir::Dimension& dimension : shape) {
    if (!dimension.admits(1)) node.fail(std::string(what) + " must have one element");
  }
  if (const auto known = ir::exact_values(value); known && known->size() == 1) {
    return node.integer(known->front(), value.type());
  }
  return node.op(ops::Squeeze, {value, axes_between(node, 0, static_cast<std::int64_t>(shape.rank()))});
}

Value with_unit_dimensions(NodeContext& node, Value value, std::int64_t before, std::int64_t after) {
  const std::int64_t rank = node.rank(value);
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 0; i < before; ++i) axes.push_back(i);
  for (std::int64_t i = 0; i < after; ++i) axes.push_back(before + rank + i);
  return unsqueeze(node, value, axes);
}

Value axes_between(Builder& builder, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> axes(ir::checked_count(std::max<std::int64_t>(last - first, 0)));
  std::iota(axes.begin(), axes.end(), first);
  return builder.integers(axes);
}

Value reduce_over(Builder& builder, ir::Op op, Value value, Value axes, bool keep_dims) {
  if (axes.shape().element_count() != 0) return builder.op(op, {value, axes}, {{"keep_dims", keep_dims}});
  // Reduces each element by itself: the norm of one element is its absolute value.
  return op == ops::ReduceL1 || op == ops::ReduceL2 ? builder.op(ops::Abs, {value}) : value;
}

}  // namespace onnx2ir::frontend
