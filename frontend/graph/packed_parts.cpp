#include "frontend/graph/packed_parts.hpp"

#include "ir/inference.hpp"

namespace onnx2ir::frontend::packed {

std::int64_t rank_of(const PartialShape& shape) {
  return static_cast<std::int64_t>(shape.rank());
}
std::int64_t rank_of(Value value) {
  if (!value.shape().has_rank()) ir::fail_unknown_rank("the rank of an element of a sequence is not known");
  return rank_of(value.shape());
}

std::int64_t element_rank(const Sequence& sequence) {
  if (!sequence.element.has_rank())
    ir::invalid(sequence.open_rank == nullptr
                    ? "the rank of the sequence's elements is not known: it is empty here"
                    : "the rank of the elements of '" + sequence.open_rank->input + "' is not known");
  return rank_of(sequence.element);
}

Value reshape_to_scalar(Builder& builder, Value value) {
  return reshape(builder, value, builder.integers({}));
}
Value slice_rows(Builder& builder, Value value, Value begin, Value end) {
  const auto list = [&](Value number) { return reshape(builder, number, builder.integers({1})); };
  const Value start = list(begin);
  return slice(builder, value, start, list(end), 0);
}
Value emit_sizes(Builder& builder, const Sequence& sequence) {
  if (sequence.mixed_rank) {
    const Value counting = builder.op(ops::Abs, {sequence.shapes});  // a -1 is padding
    return reduce(builder, ops::ReduceProd, counting, {1});
  }
  if (holds_scalars(sequence)) {
    const Value count = ir::compute_shape_of(builder, sequence.values);
    return fill(builder, 1, ir::ElementType::i64, count);
  }
  return reduce(builder, ops::ReduceProd, sequence.shapes, {1});
}

Value emit_packed_length(Builder& builder, const Sequence& sequence) {
  const Value first = builder.integer(0);
  // An input that is declared as a sequence of scalars may contain other tensors.
  const Value counted = sequence.shapes ? sequence.shapes : sequence.values;
  return gather(builder, ir::compute_shape_of(builder, counted), first);
}

void check_one_rank(const Sequence& sequence) {
  if (sequence.mixed_rank) {
    ir::invalid("the sequence holds elements of different rank, up to " +
                std::to_string(sequence.element.rank()));
  }
}

void describe_elements(Sequence& sequence) {
  sequence.element = sequence.elements->element();
  sequence.mixed_rank = sequence.elements->has_mixed_rank();
}

}  // namespace onnx2ir::frontend::packed
