#include "frontend/graph/packed_sequence.hpp"

#include <algorithm>
#include <vector>

#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"
#include "ir/size_rules.hpp"

namespace onnx2ir::frontend {
namespace packed {

std::int64_t rank_of(Value value) {
  if (!value.shape().has_rank()) ir::fail_unknown_rank("the rank of an element of a sequence is not known");
  return rank_of(value.shape());
}

std::int64_t element_rank(const Sequence& sequence) {
  if (!sequence.shape.has_rank())
    ir::invalid(sequence.open_rank == nullptr
                    ? "the rank of the sequence's elements is not known: it is empty here"
                    : "the rank of the elements of '" + sequence.open_rank->input + "' is not known");
  return rank_of(sequence.shape);
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
                std::to_string(sequence.shape.rank()));
  }
}

void describe_elements(Sequence& sequence) {
  sequence.shape = sequence.elements->element();
  sequence.mixed_rank = sequence.elements->has_mixed_rank();
}

}  // namespace packed
namespace {

using namespace packed;

/// Rows [begin, end) of `value`; both are i64 scalars.
Value slice_rows(Builder& builder, Value value, Value begin, Value end) {
  const auto list = [&](Value number) { return reshape(builder, number, builder.integers({1})); };
  const Value start = list(begin);
  return slice(builder, value, start, list(end), 0);
}

/// The number of elements of each tensor of the packed `sequence`: i64 [count].
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

/// The total number of elements of the tensors before `position`: an i64 scalar.
Value compute_offset(Builder& builder, const Sequence& sequence, Value position) {
  if (holds_scalars(sequence)) return position;
  const Value first = builder.integer(0);
  const Value before = slice_rows(builder, emit_sizes(builder, sequence), first, position);
  return reduce(builder, ops::ReduceSum, before, {0});
}

/// `position` as an i64 scalar.
Value convert_position(Builder& builder, Value position) {
  return reshape_to_scalar(builder, convert(builder, position, ElementType::i64));
}

/// Normalises `position`, which may count from the end.
Value normalize_position(Builder& builder, const Sequence& sequence, Value position) {
  position = convert_position(builder, position);
  if (const auto known = ir::exact_values(position); known && known->front() >= 0) return position;
  const Value negative = builder.op(ops::Less, {position, builder.integer(0)});
  const Value added =
      builder.op(ops::Select, {negative, emit_packed_length(builder, sequence), builder.integer(0)});
  return builder.op(ops::Add, {position, added});
}

/// The index of a known position in a list of known elements; no value if either is not known. Fails unless
/// the position is that of an element or, with `may_be_end`, the end.
std::optional<std::size_t> known_index(const Sequence& sequence, Value position, bool may_be_end = false) {
  if (!sequence.elements) return std::nullopt;
  const auto known = ir::exact_values(position);
  if (!known || known->size() != 1) return std::nullopt;
  const auto count = static_cast<std::int64_t>(sequence.elements->size());
  const std::int64_t index = known->front() < 0 ? known->front() + count : known->front();
  if (index < 0 || index >= count + (may_be_end ? 1 : 0)) {
    ir::invalid("position " + std::to_string(known->front()) + " is outside a sequence of " +
                std::to_string(count));
  }
  return static_cast<std::size_t>(index);
}

/// `value` with `rows`, or no rows if that is null, in place of its rows [begin, end). `zero` is the constant
/// 0.
Value replace_rows(Builder& builder, Value value, Value begin, Value end, Value rows, Value zero) {
  Values parts{slice_rows(builder, value, zero, begin)};
  if (rows) parts.push_back(rows);
  const Value count = gather(builder, ir::compute_shape_of(builder, value), zero);
  parts.push_back(slice_rows(builder, value, end, count));
  return concat(builder, parts, 0);
}

Sequence pack_if_needed(Builder& builder, const Sequence& sequence) {
  return sequence.elements ? pack(builder, sequence, element_rank(sequence)) : sequence;
}

/// Fails if `tensor` cannot be an element; the first element determines an element type that is not known.
void check_element(const Sequence& sequence, Value tensor) {
  if (sequence.type != ElementType::dynamic && sequence.type != tensor.type()) {
    ir::invalid("a tensor of type " + std::string(ir::info(tensor.type()).name) +
                " does not fit a sequence of " + std::string(ir::info(sequence.type).name));
  }
  const bool same_rank = sequence.shape.has_rank() && rank_of(sequence.shape) == rank_of(tensor);
  if (!same_rank && sequence.open_rank != nullptr)
    ir::invalid(note_rank(*sequence.open_rank, rank_of(tensor)));
}

/// Pads the shapes of packed elements, i64 [count, from], to rows of `to` numbers. For scalars, `shapes` is
/// null.
Value fill_shapes(Builder& builder, Value shapes, std::int64_t from, std::int64_t to, Value count) {
  if (from == to) return shapes;
  const Value filler = builder.integer(-1);
  const Value filling =
      broadcast_to(builder, filler, concat(builder, {count, builder.integers({to - from})}));
  return from == 0 ? filling : concat(builder, {shapes, filling}, 1);
}

/// Whether all elements provably have the same shape.
bool have_one_shape(const Values& elements) {
  return std::ranges::all_of(elements,
                             [&](Value element) { return ir::have_equal_shapes(element, elements.front()); });
}

/// Element `position` of a list of tensors of one shape, which are rows of one tensor; null otherwise.
Value gather_listed(Builder& builder, const Sequence& sequence, Value position) {
  if (!sequence.elements || sequence.elements->empty()) return {};
  Values rows = sequence.elements->values();
  if (!have_one_shape(rows)) return {};
  for (Value& row : rows) row = unsqueeze(builder, row, {0});
  const Value joined = concat(builder, rows, 0);
  return gather(builder, joined, convert_position(builder, position));
}

/// Element `index` if all elements have the same static shape: they are rows of one tensor. Null otherwise.
Value gather_row(Builder& builder, const Sequence& packed, Value index) {
  const auto sizes = packed.shape.sizes();
  if (!sizes || std::ranges::find(*sizes, 0) != sizes->end()) return {};
  std::vector<std::int64_t> shape{-1};
  shape.insert(shape.end(), sizes->begin(), sizes->end());
  return gather(builder, reshape(builder, packed.values, shape), index);
}

}  // namespace

Sequence pack(Builder& builder, const Sequence& sequence, std::int64_t rank) {
  Sequence packed(sequence.operand_type());
  if (!packed.shape.has_rank() || rank_of(packed.shape) != rank) {
    packed.mixed_rank = packed.shape.has_rank();
    packed.shape = PartialShape::of_rank(static_cast<std::size_t>(rank));
  }
  if (!sequence.elements) {
    if (!sequence.shape.has_rank()) return sequence;
    packed.values = sequence.values;
    const Value count = reshape(builder, emit_packed_length(builder, sequence), std::vector<std::int64_t>{1});
    packed.shapes = fill_shapes(builder, sequence.shapes, rank_of(sequence.shape), rank, count);
    return packed;
  }
  if (sequence.elements->empty()) {
    packed.values = ir::emit_empty_constant(builder, sequence.type, {0});
    if (rank > 0) packed.shapes = ir::emit_empty_constant(builder, ElementType::i64, {0, rank});
    return packed;
  }
  Values values;
  Values shapes;
  for (const Value& element : sequence.elements->values()) {
    values.push_back(flatten(builder, element));
    if (rank == 0) continue;
    const std::int64_t own_rank = rank_of(element);
    Value row;
    if (own_rank > 0) row = unsqueeze(builder, ir::compute_shape_of(builder, element), {0});
    shapes.push_back(fill_shapes(builder, row, own_rank, rank, builder.integers({1})));
  }
  packed.values = concat(builder, values, 0);
  if (rank > 0) packed.shapes = concat(builder, shapes, 0);
  return packed;
}

Value emit_shapes_of_scalars(Builder& builder, const Sequence& sequence) {
  const Value count = emit_packed_length(builder, sequence);
  if (const auto known = ir::known_scalar(count))
    return ir::emit_empty_constant(builder, ElementType::i64, {*known, 0});
  // A Slice instead of a Broadcast: a Broadcast to an empty shape would end the process
  // (Fault::empty_broadcast_folding).
  const Value rows = emit_range(builder, count);
  const Value zero = builder.integers({0});
  const Value one = builder.integers({1});
  const Value column = builder.op(ops::Unsqueeze, {rows, one});
  return builder.op(ops::Slice, {column, zero, zero, one, one});
}

Value emit_length(Builder& builder, const Sequence& sequence) {
  if (sequence.elements) return builder.integer(static_cast<std::int64_t>(sequence.elements->size()));
  return emit_packed_length(builder, sequence);
}

Value take_element(Builder& builder, const Sequence& sequence, Value position) {
  if (const auto index = known_index(sequence, position)) return (*sequence.elements)[*index];
  check_one_rank(sequence);
  if (const Value element = gather_listed(builder, sequence, position)) return element;
  const Sequence packed = pack_if_needed(builder, sequence);
  const Value index = normalize_position(builder, packed, position);
  if (holds_scalars(packed)) return gather(builder, packed.values, index);
  if (const Value row = gather_row(builder, packed, index)) return row;
  const Value begin = compute_offset(builder, packed, index);
  const Value size = gather(builder, emit_sizes(builder, packed), index);
  const Value elements = slice_rows(builder, packed.values, begin, builder.op(ops::Add, {begin, size}));
  Value shape = gather(builder, packed.shapes, index);
  if (const auto known = packed.shape.sizes()) shape = builder.integers(*known);
  return reshape(builder, elements, shape);
}

Sequence insert(Builder& builder, const Sequence& sequence, Value tensor, Value position) {
  check_element(sequence, tensor);
  Sequence result;
  result.type = tensor.type();
  result.shape = sequence.shape;
  result.mixed_rank = sequence.mixed_rank;
  widen_element(result.shape, result.mixed_rank, tensor.shape(), false);
  if (sequence.elements) {
    const auto index = position ? known_index(sequence, position, true) : sequence.elements->size();
    if (index) {
      result.elements = sequence.elements->with(*index, tensor);
      return result;
    }
  }
  const std::int64_t rank = rank_of(result.shape);
  const Sequence packed = pack(builder, sequence, rank);
  Sequence single;
  single.type = tensor.type();
  single.elements = ElementList(Values{tensor});
  single.shape = tensor.shape();
  const Sequence added = pack(builder, single, rank);
  if (!position) {
    result.values = concat(builder, {packed.values, added.values}, 0);
    if (rank > 0) result.shapes = concat(builder, {packed.shapes, added.shapes}, 0);
    return result;
  }
  const Value index = normalize_position(builder, packed, position);
  const Value split_at = compute_offset(builder, packed, index);
  const Value zero = builder.integer(0);
  result.values = replace_rows(builder, packed.values, split_at, split_at, added.values, zero);
  if (rank > 0) result.shapes = replace_rows(builder, packed.shapes, index, index, added.shapes, zero);
  return result;
}

Sequence erase(Builder& builder, const Sequence& sequence, Value position) {
  if (!position) position = builder.integer(-1);
  Sequence result = sequence;
  result.stacked = {};
  if (const auto index = known_index(sequence, position)) {
    result.elements = sequence.elements->without(*index);
    if (!result.elements->empty()) describe_elements(result);
    return result;
  }
  const Sequence packed = pack_if_needed(builder, sequence);
  const Value index = normalize_position(builder, packed, position);
  const Value next = builder.op(ops::Add, {index, builder.integer(1)});
  const Value zero = builder.integer(0);
  result.elements.reset();
  const Value end = compute_offset(builder, packed, next);
  const Value begin = compute_offset(builder, packed, index);
  result.values = replace_rows(builder, packed.values, begin, end, {}, zero);
  if (packed.shapes) result.shapes = replace_rows(builder, packed.shapes, index, next, {}, zero);
  return result;
}

}  // namespace onnx2ir::frontend
