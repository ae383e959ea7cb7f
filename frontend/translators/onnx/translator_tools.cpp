#include "frontend/translators/onnx/translator_tools.hpp"

#include <algorithm>
#include <numeric>

#include "ir/checked_arithmetic.hpp"
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
  const Value quotient = mark_precise(divide(node, a, b));
  // Only operators tell which quotients must be exact: a row would make every Divide slower.
  if (!node.target().has(Fault::division_by_reciprocal)) return quotient;
  const Value product = mark_precise(node.op(ops::Multiply, {quotient, b}));
  const Value rest = mark_precise(node.op(ops::Subtract, {a, product}));
  const Value correction = mark_precise(divide(node, rest, b));
  return mark_precise(node.op(ops::Add, {quotient, correction}));
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
                ElementType index_type, std::string_view sort) {
  return builder.node(ops::TopK, {value, k},
                      {{"axis", axis},
                       {"mode", std::string(mode)},
                       {"sort", std::string(sort)},
                       {"index_element_type", index_type},
                       {"stable", sort == "value"}});
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

Value reshape_constant(Builder& builder, Value value, const std::vector<std::int64_t>& shape) {
  const PartialShape& old_shape = value.shape();
  const ir::ConstantData* data = value.node->constant();
  // Inference rejects a Reshape to another number of elements.
  if (data == nullptr || old_shape.sizes() == ir::Integers(shape) ||
      old_shape.element_count() != PartialShape(shape).element_count())
    return reshape(builder, value, shape);
  return builder.constant(value.type(), shape, *data);
}

Value read_vector(NodeContext& node, std::size_t index, ElementType type) {
  return reshape(node, convert(node, node.input(index), type), {1});
}

Value read_optional_vector(NodeContext& node, std::size_t index, ElementType type) {
  return node.has_input(index) ? read_vector(node, index, type) : Value{};
}

Value convert_to_list(Builder& builder, Value value) {
  value = convert(builder, value, ElementType::i64);
  return value.shape().is_scalar() ? unsqueeze(builder, value, {0}) : value;
}

std::vector<std::int64_t> shape_along(std::int64_t axis, std::int64_t rank, std::int64_t size) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), 1);
  shape[static_cast<std::size_t>(axis)] = size;
  return shape;
}

Values dimensions_of(Builder& builder, Value value, std::int64_t first, std::int64_t last) {
  Values sizes;
  for (std::int64_t axis = first; axis < last; ++axis) sizes.push_back(dimension_of(builder, value, axis));
  return sizes;
}

Value move_channels_first(NodeContext& node, Value value) {
  const std::int64_t rank = node.rank(value);
  std::vector<std::int64_t> order{0, rank - 1};
  for (std::int64_t i = 1; i + 1 < rank; ++i) order.push_back(i);
  return transpose(node, value, order);
}

Value move_channels_last(NodeContext& node, Value value) {
  const std::int64_t rank = node.rank(value);
  std::vector<std::int64_t> order{0};
  for (std::int64_t i = 2; i < rank; ++i) order.push_back(i);
  order.push_back(1);
  return transpose(node, value, order);
}

Value emit_range(Builder& builder, Value end, ElementType type) {
  const Value zero = builder.number(0, type);
  return builder.op(ops::Range, {zero, end, builder.number(1, type)}, {{"output_type", type}});
}

Value enumerate_along(Builder& builder, Value value, std::int64_t axis) {
  return emit_range(builder, size_of(builder, value, axis));
}

Value find_true(Builder& builder, Value marks) {
  return squeeze(builder, builder.op(ops::NonZero, {marks}, {{"output_type", ElementType::i64}}), {0});
}

Value gather_in_rows(Builder& builder, Value from, Value indices, std::int64_t axis) {
  return builder.op(ops::Gather, {from, indices, builder.integer(axis)}, {{"batch_dims", 1}});
}

Value scatter(Builder& builder, Value data, Value indices, Value updates, std::int64_t axis,
              std::string_view reduction) {
  return builder.op(ops::ScatterElementsUpdate, {data, indices, updates, builder.integer(axis)},
                    {{"reduction", std::string(reduction)}, {"use_init_val", true}});
}

Value pad_with(Builder& builder, Value value, Value begins, Value ends, double filler) {
  return builder.op(ops::Pad, {value, begins, ends, builder.number_like(filler, value)},
                    {{"pad_mode", "constant"}});
}

Value mark_precise(Value value) {
  const auto is_float = [](Value number) { return ir::is_floating(number.type()); };
  if (is_float(value) || std::ranges::any_of(value.node->inputs(), is_float))
    value.node->marks.add(ir::Mark::precise);
  return value;
}

Value emit_squared_distances(Builder& builder, Value a, Value b) {
  // A distance is a small difference of large numbers: their rounding errors in bf16 would exceed it.
  const auto op = [&](ir::Op type, Value x, Value y) { return mark_precise(builder.op(type, {x, y})); };
  const auto times = [&](Value x, double factor) {
    return op(ops::Multiply, x, builder.number_like(factor, x));
  };
  const auto square = [&](Value rows) {
    return mark_precise(reduce(builder, ops::ReduceSum, op(ops::Multiply, rows, rows), {1}));
  };
  const Value shift = times(mark_precise(reduce_keep_dims(builder, ops::ReduceMean, b, {0})), -1);
  const Value left = op(ops::Add, a, shift);
  const Value right = op(ops::Add, b, shift);
  const Value of_right = unsqueeze(builder, square(right), {0});
  const Value of_left = unsqueeze(builder, square(left), {1});
  const Value squares = op(ops::Add, of_left, of_right);
  // OpenVINO would move the factor of a product into its weights, without the mark.
  const Value products = mark_precise(mat_mul(builder, times(left, -2), right, {.b = true}));
  return mark_precise(builder.op(ops::ReLU, {op(ops::Add, squares, products)}));
}

ir::Integers distinct_axes(const NodeContext& node, ir::Integers axes, std::int64_t rank) {
  for (std::int64_t& axis : axes) axis = node.axis(axis, rank);
  std::ranges::sort(axes);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

void reject_repeated_axes(const NodeContext& node, std::span<const std::int64_t> axes, std::int64_t rank) {
  std::vector<std::int64_t> sorted(axes.begin(), axes.end());
  for (std::int64_t& axis : sorted) axis = node.axis(axis, rank);
  std::ranges::sort(sorted);
  const auto repeated = std::ranges::adjacent_find(sorted);
  if (repeated != sorted.end()) node.fail("axis " + std::to_string(*repeated) + " is given twice");
}

Value set_length(Builder& builder, Value list, std::int64_t length) {
  return list.shape().element_count() ? list : reshape(builder, list, std::vector<std::int64_t>{length});
}

Value convert_to_dimensions(NodeContext& node, Value list) {
  list = convert(node, list, ElementType::i64);
  if (list.shape().has_rank() && list.shape().rank() > 1) {
    node.fail("the dimensions of the result must be a list, not a tensor of shape " +
              to_string(list.shape()));
  }
  if (list.shape().element_count()) return list;
  const auto rank = node.declared_rank(0);
  if (!rank) {
    node.fail("the rank of the result is not known: it has as many dimensions as a list of unknown length",
              "OpenVINO has no values of dynamic rank; declare the shape of the result in the model");
  }
  return set_length(node, list, *rank);
}

}  // namespace onnx2ir::frontend
