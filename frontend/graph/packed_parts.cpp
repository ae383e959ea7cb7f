#include "frontend/graph/packed_parts.hpp"

#include "ir/inference.hpp"

namespace onnx2ir::frontend::packed {

using ir::Builder;
using ir::ElementType;
using ir::PartialShape;
using ir::Value;

std::int64_t rank_of(const PartialShape& shape) {
  return static_cast<std::int64_t>(shape.rank());
}
std::int64_t rank_of(Value value) {
  if (!value.shape().has_rank()) ir::invalid("the rank of an element of a sequence is not known");
  return rank_of(value.shape());
}

std::int64_t element_rank(const Sequence& sequence) {
  if (!sequence.element.has_rank())
    ir::invalid(sequence.open_input.empty()
                    ? "the rank of the sequence's elements is not known: it is empty here"
                    : "the rank of the elements of '" + sequence.open_input + "' is not known");
  return rank_of(sequence.element);
}

Value reshape(Builder& builder, Value value, Value shape) {
  return builder.op(ops::Reshape, {value, shape}, {{"special_zero", false}});
}
Value flat(Builder& builder, Value value) {
  return reshape(builder, value, builder.integers({-1}));
}
Value scalar(Builder& builder, Value value) {
  return reshape(builder, value, builder.integers({}));
}
Value gather(Builder& builder, Value from, Value indices, std::int64_t axis) {
  return builder.op(ops::Gather, {from, indices, builder.integer(axis)}, {{"batch_dims", 0}});
}
Value shape_of(Builder& builder, Value value) {
  return builder.op(ops::ShapeOf, {value}, {{"output_type", ElementType::i64}});
}
Value concat(Builder& builder, const Values& values, std::int64_t axis) {
  return values.size() == 1 ? values.front() : builder.op(ops::Concat, values, {{"axis", axis}});
}
Value rows(Builder& builder, Value value, Value begin, Value end) {
  const auto list = [&](Value number) { return reshape(builder, number, builder.integers({1})); };
  return builder.op(ops::Slice,
                    {value, list(begin), list(end), builder.integers({1}), builder.integers({0})});
}
Value transpose(Builder& builder, Value value, const std::vector<std::int64_t>& order) {
  return builder.op(ops::Transpose, {value, builder.integers(order)});
}

Value sizes(Builder& builder, const Sequence& sequence) {
  if (sequence.mixed_rank) {
    const Value counting = builder.op(ops::Abs, {sequence.shapes});  // a -1 fills up
    return builder.op(ops::ReduceProd, {counting, builder.integers({1})}, {{"keep_dims", false}});
  }
  if (element_rank(sequence) == 0) {
    const Value count = shape_of(builder, sequence.values);
    return builder.op(ops::Broadcast, {builder.integer(1), count}, {{"mode", "numpy"}});
  }
  return builder.op(ops::ReduceProd, {sequence.shapes, builder.integers({1})}, {{"keep_dims", false}});
}

Value packed_length(Builder& builder, const Sequence& sequence) {
  const Value first = builder.integer(0);
  return gather(builder, shape_of(builder, sequence.shapes), first);
}

void check_one_rank(const Sequence& sequence) {
  if (sequence.mixed_rank) {
    ir::invalid("the sequence holds elements of different rank, up to " +
                std::to_string(sequence.element.rank()));
  }
}

void describe_elements(Sequence& sequence) {
  sequence.element = {};
  sequence.mixed_rank = false;
  for (const Value& element : *sequence.elements) widen_element(sequence, element.shape());
}

}  // namespace onnx2ir::frontend::packed
