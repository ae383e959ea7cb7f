#include "ir/shape_tools.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ir/known_values.hpp"
#include "ir/value_ranges.hpp"

namespace onnx2ir::ir {
namespace {

/// The size of `value` along `axis`, which may be counted from the end. The rank must be known.
Dimension known_size(Value value, std::int64_t axis) {
  const PartialShape& shape = value.shape();
  const auto rank = static_cast<std::int64_t>(shape.has_rank() ? shape.rank() : 0);
  return shape[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
}

}  // namespace

Value clone_with_input(Builder& builder, const Node& node, std::size_t index, Value value) {
  std::vector<Value> inputs(node.inputs().begin(), node.inputs().end());
  inputs[index] = value;
  return builder.clone(node, inputs).value();
}

Value emit_empty_constant(Builder& builder, ElementType type, const std::vector<std::int64_t>& shape) {
  // A constant of strings begins with their number and the position of the first one, i32.
  const std::size_t header = type == ElementType::string ? 8 : 0;
  return builder.constant(type, shape, ConstantData(std::vector<std::byte>(header)));
}

Value convert(Builder& builder, Value value, ElementType type) {
  if (value.type() == type) return value;
  if (is_integral(type)) {
    const auto fits = [&](std::int64_t number) { return fit(ValueRange::exactly(number), type).is_exact(); };
    const auto known = exact_values(value);
    if (known && value.node->constant() != nullptr && std::ranges::all_of(*known, fits)) {
      const auto sizes = value.shape().sizes();
      return builder.constant(type, *sizes, encode_integers(*known, type));
    }
  }
  return builder.op(ops::Convert, {value}, {{"destination_type", type}});
}

Value shape_of(Builder& builder, Value value) {
  if (const auto sizes = value.shape().sizes()) return builder.integers(*sizes);
  return compute_shape_of(builder, value);
}

Value compute_shape_of(Builder& builder, Value value) {
  return builder.op(ops::ShapeOf, {value}, {{"output_type", ElementType::i64}});
}

Value size_of(Builder& builder, Value value, std::int64_t axis) {
  const Dimension known = known_size(value, axis);
  if (known.is_static()) return builder.integer(known.size());
  const Value shape = shape_of(builder, value);
  return gather(builder, shape, builder.integer(axis));
}

Value dimension_of(Builder& builder, Value value, std::int64_t axis) {
  const Dimension known = known_size(value, axis);
  if (known.is_static()) return builder.integers({known.size()});
  const Value place = builder.integers({axis});
  return gather(builder, shape_of(builder, value), place);
}

Value reshape(Builder& builder, Value value, Value shape) {
  return builder.op(ops::Reshape, {value, shape}, {{"special_zero", false}});
}

Value reshape(Builder& builder, Value value, const std::vector<std::int64_t>& shape) {
  if (value.shape().sizes() == Integers(shape)) return value;
  return reshape(builder, value, builder.integers(shape));
}

Value reshape_keeping(Builder& builder, Value value, Value shape) {
  return builder.op(ops::Reshape, {value, shape}, {{"special_zero", true}});
}

Value reshape_keeping(Builder& builder, Value value, const std::vector<std::int64_t>& shape) {
  return reshape_keeping(builder, value, builder.integers(shape));
}

Value reshape_to_itself(Builder& builder, Value value) {
  const PartialShape& shape = value.shape();
  if (!shape.has_rank()) return reshape(builder, value, compute_shape_of(builder, value));
  return reshape_keeping(builder, value, std::vector<std::int64_t>(shape.rank(), 0));
}

Value reshape_to_scalar(Builder& builder, Value value) {
  return reshape(builder, value, std::vector<std::int64_t>{});
}

Value flatten(Builder& builder, Value value) {
  return reshape(builder, value, builder.integers({-1}));
}

Value squeeze(Builder& builder, Value value, const std::vector<std::int64_t>& axes) {
  return axes.empty() ? value : builder.op(ops::Squeeze, {value, builder.integers(axes)});
}

Value unsqueeze(Builder& builder, Value value, const std::vector<std::int64_t>& axes) {
  return axes.empty() ? value : builder.op(ops::Unsqueeze, {value, builder.integers(axes)});
}

Value transpose(Builder& builder, Value value, const std::vector<std::int64_t>& order) {
  return builder.op(ops::Transpose, {value, builder.integers(order)});
}

Value move_axis(Builder& builder, Value value, std::int64_t from, std::int64_t to) {
  if (from == to) return value;
  if (!value.shape().has_rank()) fail_unknown_rank("the rank of a value whose axes are moved is not known");
  std::vector<std::int64_t> order(value.shape().rank());
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return transpose(builder, value, order);
}

Value broadcast_to(Builder& builder, Value value, Value shape) {
  return builder.op(ops::Broadcast, {value, shape}, {{"mode", "numpy"}});
}

Value fill(Builder& builder, double number, ElementType type, Value shape) {
  return broadcast_to(builder, builder.number(number, type), shape);
}

Value reduce(Builder& builder, Op op, Value value, const std::vector<std::int64_t>& axes) {
  return builder.op(op, {value, builder.integers(axes)}, {{"keep_dims", false}});
}

Value reduce_keep_dims(Builder& builder, Op op, Value value, const std::vector<std::int64_t>& axes) {
  return builder.op(op, {value, builder.integers(axes)}, {{"keep_dims", true}});
}

Value concat(Builder& builder, ListArgument<Value> values, std::int64_t axis) {
  return values.size() == 1 ? values.front() : builder.op(ops::Concat, values, {{"axis", axis}});
}

Value gather(Builder& builder, Value from, Value indices, std::int64_t axis) {
  return builder.op(ops::Gather, {from, indices, builder.integer(axis)}, {{"batch_dims", 0}});
}

Value emit_range(Builder& builder, Value end) {
  const Value count = end.shape().is_scalar() ? end : reshape(builder, end, builder.integers({}));
  return builder.op(ops::Range, {builder.integer(0), count, builder.integer(1)},
                    {{"output_type", ElementType::i64}});
}

Value reverse(Builder& builder, Value value, std::int64_t axis) {
  const Value last = builder.integers({-1});
  const Value before_first = builder.integers({std::numeric_limits<std::int32_t>::min()});
  return slice(builder, value, last, before_first, axis, -1);
}

Value slice(Builder& builder, Value value, Value start, Value stop, std::int64_t axis, std::int64_t step) {
  return builder.op(ops::Slice, {value, start, stop, builder.integers({step}), builder.integers({axis})});
}

Value slice(Builder& builder, Value value, std::int64_t start, std::int64_t stop, std::int64_t axis,
            std::int64_t step) {
  const Value first = builder.integers({start});
  return slice(builder, value, first, builder.integers({stop}), axis, step);
}

bool may_be_empty_beside(const PartialShape& shape, std::size_t axis) {
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i != axis && shape[i].admits(0)) return true;
  }
  return false;
}

}  // namespace onnx2ir::ir
