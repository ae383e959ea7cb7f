#include "frontend/graph/packed_sequence.hpp"

#include <numeric>

#include "ir/inference.hpp"

namespace onnx2ir::frontend {
namespace {

using ir::Builder;
using ir::ElementType;
using ir::PartialShape;
using ir::Value;

std::int64_t rank_of(Value value) {
  if (!value.shape().has_rank()) ir::invalid("the rank of an element of a sequence is not known");
  return static_cast<std::int64_t>(value.shape().rank());
}

std::int64_t element_rank(const Sequence& sequence) {
  if (!sequence.element.has_rank())
    ir::invalid("the rank of the sequence's elements is not known: it is empty here");
  return static_cast<std::int64_t>(sequence.element.rank());
}

Value reshape(Builder& builder, Value value, Value shape) {
  return builder.op("Reshape", {value, shape}, {{"special_zero", false}});
}
Value flat(Builder& builder, Value value) {
  return reshape(builder, value, builder.integers({-1}));
}
Value scalar(Builder& builder, Value value) {
  return reshape(builder, value, builder.integers({}));
}
Value gather(Builder& builder, Value from, Value indices, std::int64_t axis = 0) {
  return builder.op("Gather", {from, indices, builder.integer(axis)}, {{"batch_dims", 0}});
}
Value shape_of(Builder& builder, Value value) {
  return builder.op("ShapeOf", {value}, {{"output_type", ElementType::i64}});
}
Value concat(Builder& builder, const Values& values, std::int64_t axis) {
  return values.size() == 1 ? values.front() : builder.op("Concat", values, {{"axis", axis}});
}
/// Rows [begin, end) of `value`, both i64 scalars.
Value rows(Builder& builder, Value value, Value begin, Value end) {
  const auto list = [&](Value number) { return reshape(builder, number, builder.integers({1})); };
  return builder.op("Slice", {value, list(begin), list(end), builder.integers({1}), builder.integers({0})});
}

/// How many elements each tensor of the packed `sequence` has: i64 [count].
Value sizes(Builder& builder, const Sequence& sequence) {
  if (element_rank(sequence) == 0) {
    const Value count = shape_of(builder, sequence.values);
    return builder.op("Broadcast", {builder.integer(1), count}, {{"mode", "numpy"}});
  }
  return builder.op("ReduceProd", {sequence.shapes, builder.integers({1})}, {{"keep_dims", false}});
}

/// How many elements the tensors before `position` have, together: an i64 scalar.
Value offset(Builder& builder, const Sequence& sequence, Value position) {
  const Value before = rows(builder, sizes(builder, sequence), builder.integer(0), position);
  return builder.op("ReduceSum", {before, builder.integers({0})}, {{"keep_dims", false}});
}

Value packed_length(Builder& builder, const Sequence& sequence) {
  return gather(builder, shape_of(builder, sequence.shapes), builder.integer(0));
}

/// `position` counted from the start.
Value from_start(Builder& builder, const Sequence& sequence, Value position) {
  if (position.type() != ElementType::i64) {
    position = builder.op("Convert", {position}, {{"destination_type", ElementType::i64}});
  }
  if (!position.shape().is_scalar()) position = scalar(builder, position);
  if (const auto known = ir::exact_values(position); known && known->front() >= 0) return position;
  const Value negative = builder.op("Less", {position, builder.integer(0)});
  const Value wrapped = builder.op("Add", {position, packed_length(builder, sequence)});
  return builder.op("Select", {negative, wrapped, position});
}

/// The index of a known position in a known list; nothing when either is not known. Checks the range.
std::optional<std::size_t> known_index(const Sequence& sequence, Value position, std::size_t limit) {
  if (!sequence.elements) return std::nullopt;
  const auto known = ir::exact_values(position);
  if (!known || known->size() != 1) return std::nullopt;
  const auto count = static_cast<std::int64_t>(sequence.elements->size());
  const std::int64_t index = known->front() < 0 ? known->front() + count : known->front();
  if (index < 0 || index >= static_cast<std::int64_t>(limit)) {
    ir::invalid("position " + std::to_string(known->front()) + " is outside a sequence of " +
                std::to_string(count));
  }
  return static_cast<std::size_t>(index);
}

Sequence packed_form(Builder& builder, const Sequence& sequence) {
  return sequence.elements ? pack(builder, sequence, element_rank(sequence)) : sequence;
}

void check_element(const Sequence& sequence, Value tensor) {
  if (sequence.type != tensor.type()) {
    ir::invalid("a tensor of type " + std::string(ir::info(tensor.type()).name) +
                " does not fit a sequence of " + std::string(ir::info(sequence.type).name));
  }
  if (sequence.element.has_rank() && static_cast<std::int64_t>(sequence.element.rank()) != rank_of(tensor)) {
    ir::invalid("elements of different rank in one sequence: " + to_string(sequence.element) + " and " +
                to_string(tensor.shape()));
  }
}

PartialShape joined(const Values& elements) {
  if (elements.empty()) return {};
  PartialShape shape = elements.front().shape();
  for (const Value& element : elements) shape = ir::widen(shape, element.shape());
  return shape;
}

/// [0, 1, ..., rank) with `axis` moved to the front.
std::vector<std::int64_t> axis_first(std::int64_t axis, std::int64_t rank) {
  std::vector<std::int64_t> order{axis};
  for (std::int64_t i = 0; i < rank; ++i) {
    if (i != axis) order.push_back(i);
  }
  return order;
}

Value transpose(Builder& builder, Value value, const std::vector<std::int64_t>& order) {
  return builder.op("Transpose", {value, builder.integers(order)});
}

}  // namespace

Sequence pack(Builder& builder, const Sequence& sequence, std::int64_t rank) {
  if (!sequence.elements) return sequence;
  Sequence packed;
  packed.type = sequence.type;
  packed.element = sequence.element.has_rank() ? sequence.element : PartialShape::of_rank(std::size_t(rank));
  if (sequence.elements->empty()) {
    const std::int64_t no_values[] = {0};
    const std::int64_t no_rows[] = {0, rank};
    packed.values = builder.constant(sequence.type, no_values, ir::encode_numbers({}, sequence.type));
    packed.shapes = builder.constant(ElementType::i64, no_rows, ir::encode_integers({}, ElementType::i64));
    return packed;
  }
  Values values;
  Values shapes;
  for (const Value& element : *sequence.elements) {
    values.push_back(flat(builder, element));
    const Value shape = rank == 0 ? builder.integers({}) : shape_of(builder, element);
    shapes.push_back(builder.op("Unsqueeze", {shape, builder.integers({0})}));
  }
  packed.values = concat(builder, values, 0);
  packed.shapes = concat(builder, shapes, 0);
  return packed;
}

Value length(Builder& builder, const Sequence& sequence) {
  if (sequence.elements) return builder.integer(static_cast<std::int64_t>(sequence.elements->size()));
  return packed_length(builder, sequence);
}

Value at(Builder& builder, const Sequence& sequence, Value position) {
  if (sequence.elements) {
    if (const auto index = known_index(sequence, position, sequence.elements->size())) {
      return (*sequence.elements)[*index];
    }
  }
  const Sequence packed = packed_form(builder, sequence);
  const Value index = from_start(builder, packed, position);
  const Value begin = offset(builder, packed, index);
  if (element_rank(packed) == 0) return gather(builder, packed.values, index);
  const Value size = gather(builder, sizes(builder, packed), index);
  const Value elements = rows(builder, packed.values, begin, builder.op("Add", {begin, size}));
  Value shape = gather(builder, packed.shapes, index);
  if (const auto known = packed.element.sizes()) shape = builder.integers(*known);
  return reshape(builder, elements, shape);
}

Sequence insert(Builder& builder, const Sequence& sequence, Value tensor, Value position) {
  check_element(sequence, tensor);
  Sequence result;
  result.type = sequence.type;
  result.element = sequence.element.has_rank() ? ir::widen(sequence.element, tensor.shape()) : tensor.shape();
  if (sequence.elements) {
    const std::size_t count = sequence.elements->size();
    const auto index = position ? known_index(sequence, position, count + 1) : std::optional(count);
    if (index) {
      result.elements = sequence.elements;
      result.elements->insert(result.elements->begin() + static_cast<std::ptrdiff_t>(*index), tensor);
      return result;
    }
  }
  const std::int64_t rank = rank_of(tensor);
  const Sequence packed = pack(builder, sequence, rank);
  Sequence single;
  single.type = sequence.type;
  single.elements = Values{tensor};
  const Sequence added = pack(builder, single, rank);
  if (!position) {
    result.values = concat(builder, {packed.values, added.values}, 0);
    result.shapes = concat(builder, {packed.shapes, added.shapes}, 0);
    return result;
  }
  const Value index = from_start(builder, packed, position);
  const Value split_at = offset(builder, packed, index);
  const Value zero = builder.integer(0);
  const auto end = [&](Value value) { return gather(builder, shape_of(builder, value), zero); };
  result.values = concat(builder,
                         {rows(builder, packed.values, zero, split_at), added.values,
                          rows(builder, packed.values, split_at, end(packed.values))},
                         0);
  result.shapes = concat(builder,
                         {rows(builder, packed.shapes, zero, index), added.shapes,
                          rows(builder, packed.shapes, index, end(packed.shapes))},
                         0);
  return result;
}

Sequence erase(Builder& builder, const Sequence& sequence, Value position) {
  if (!position) position = builder.integer(-1);
  Sequence result = sequence;
  if (sequence.elements) {
    if (const auto index = known_index(sequence, position, sequence.elements->size())) {
      result.elements->erase(result.elements->begin() + static_cast<std::ptrdiff_t>(*index));
      result.element = joined(*result.elements);
      if (result.elements->empty()) result.element = sequence.element;
      return result;
    }
  }
  const Sequence packed = packed_form(builder, sequence);
  const Value index = from_start(builder, packed, position);
  const Value next = builder.op("Add", {index, builder.integer(1)});
  const Value zero = builder.integer(0);
  const auto end = [&](Value value) { return gather(builder, shape_of(builder, value), zero); };
  const auto without = [&](Value value, Value from, Value to) {
    return concat(builder, {rows(builder, value, zero, from), rows(builder, value, to, end(value))}, 0);
  };
  result.elements.reset();
  result.values = without(packed.values, offset(builder, packed, index), offset(builder, packed, next));
  result.shapes = without(packed.shapes, index, next);
  return result;
}

Value concatenate(Builder& builder, const Sequence& sequence, std::int64_t axis, bool new_axis) {
  const std::int64_t rank = element_rank(sequence);
  const std::int64_t result_rank = rank + (new_axis ? 1 : 0);
  const auto where =
      static_cast<std::int64_t>(ir::normalize_axis(axis, static_cast<std::size_t>(result_rank)));
  if (sequence.elements) {
    if (sequence.elements->empty()) ir::invalid("an empty sequence is concatenated");
    Values parts = *sequence.elements;
    if (new_axis) {
      for (Value& part : parts) part = builder.op("Unsqueeze", {part, builder.integers({where})});
    }
    return concat(builder, parts, where);
  }
  // All elements have the same shape but along `axis`: that of the first serves for all.
  const Value first = gather(builder, sequence.shapes, builder.integer(0));
  const auto dimension = [&](std::int64_t index) {
    const ir::Dimension known = sequence.element[static_cast<std::size_t>(index)];
    return known.is_static() ? builder.integers({known.size()})
                             : gather(builder, first, builder.integers({index}));
  };
  if (!new_axis && where == 0) {
    Values shape{builder.integers({-1})};
    for (std::int64_t i = 1; i < rank; ++i) shape.push_back(dimension(i));
    return reshape(builder, sequence.values, concat(builder, shape, 0));
  }
  if (!new_axis && !sequence.element[static_cast<std::size_t>(where)].is_static()) {
    ir::invalid("a sequence whose length is not known is concatenated along axis " + std::to_string(axis) +
                " of elements whose size there is not known: " + to_string(sequence.element));
  }
  const Value count = builder.op("Unsqueeze", {packed_length(builder, sequence), builder.integers({0})});
  Values shape{count};
  for (std::int64_t i = 0; i < rank; ++i) shape.push_back(dimension(i));
  Value stacked = reshape(builder, sequence.values, concat(builder, shape, 0));
  if (where != 0) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(rank + 1));
    std::iota(order.begin(), order.end(), 1);
    for (std::size_t i = order.size(); i-- > static_cast<std::size_t>(where);) {
      order[i] = i == static_cast<std::size_t>(where) ? 0 : static_cast<std::int64_t>(i);
    }
    stacked = transpose(builder, stacked, order);
  }
  if (new_axis) return stacked;
  Values merged;
  for (std::int64_t i = 0; i < rank; ++i)
    merged.push_back(i == where ? builder.integers({-1}) : dimension(i));
  return reshape(builder, stacked, concat(builder, merged, 0));
}

namespace {

/// Slices whose number and lengths are known.
std::optional<std::vector<std::int64_t>> known_lengths(Value tensor, Value lengths, std::size_t axis) {
  const ir::Dimension dimension = tensor.shape()[axis];
  if (!lengths) {
    if (!dimension.is_static()) return std::nullopt;
    return std::vector<std::int64_t>(static_cast<std::size_t>(dimension.size()), 1);
  }
  auto known = ir::exact_values(lengths);
  if (!known) return std::nullopt;
  if (!lengths.shape().is_scalar()) return known;
  if (!dimension.is_static()) return std::nullopt;
  if (known->front() <= 0) ir::invalid("slices must have a positive length");
  std::vector<std::int64_t> result;
  for (std::int64_t left = dimension.size(); left > 0; left -= known->front()) {
    result.push_back(std::min(left, known->front()));
  }
  return result;
}

/// The elements of `tensor` as they follow one another when it is cut along `axis` into slices of `lengths`.
Value slice_by_slice(Builder& builder, Value tensor, Value lengths, std::int64_t axis) {
  const auto op = [&](std::string_view name, Value a, Value b) { return builder.op(name, {a, b}); };
  const auto product = [&](std::int64_t first, std::int64_t behind) {
    std::vector<std::int64_t> axes(static_cast<std::size_t>(behind - first));
    std::iota(axes.begin(), axes.end(), first);
    const Value sizes = gather(builder, shape_of(builder, tensor), builder.integers(axes));
    return builder.op("ReduceProd", {sizes, builder.integers({0})}, {{"keep_dims", false}});
  };
  const auto numbers = [&](Value count) {
    return builder.op("Range", {builder.integer(0), count, builder.integer(1)},
                      {{"output_type", ElementType::i64}});
  };
  const std::int64_t rank = rank_of(tensor);
  const Value outer = product(0, axis);
  const Value inner = axis + 1 < rank ? product(axis + 1, rank) : builder.integer(1);
  // The slice that each position of the axis lies in: as many as end before it.
  const Value ends =
      builder.op("CumSum", {lengths, builder.integer(0)}, {{"exclusive", false}, {"reverse", false}});
  const Value positions = numbers(gather(builder, shape_of(builder, tensor), builder.integer(axis)));
  const Value is_behind = op("LessEqual", ends, builder.op("Unsqueeze", {positions, builder.integers({1})}));
  const Value slice = builder.op(
      "ReduceSum",
      {builder.op("Convert", {is_behind}, {{"destination_type", ElementType::i64}}), builder.integers({1})},
      {{"keep_dims", false}});
  const Value length = gather(builder, lengths, slice);
  const Value start = op("Subtract", gather(builder, ends, slice), length);
  // Where the element (o, position, i) goes: behind all of the slices before, then row by row.
  const auto column = [&](Value list, std::initializer_list<std::int64_t> axes) {
    return builder.op("Unsqueeze", {list, builder.integers(axes)});
  };
  const Value before = op("Add", op("Multiply", op("Subtract", outer, builder.integer(1)), start), positions);
  const Value along = op("Add", before, op("Multiply", column(numbers(outer), {1}), length));
  const Value places = op("Add", op("Multiply", column(along, {2}), inner), numbers(inner));
  const Value values = flat(builder, tensor);
  return builder.op("ScatterElementsUpdate", {values, flat(builder, places), values, builder.integer(0)},
                    {{"reduction", "none"}, {"use_init_val", true}});
}

}  // namespace

Sequence split(Builder& builder, Value tensor, Value lengths, std::int64_t axis, bool keep_dimension) {
  const std::int64_t rank = rank_of(tensor);
  const std::size_t where = ir::normalize_axis(axis, static_cast<std::size_t>(rank));
  const auto signed_where = static_cast<std::int64_t>(where);
  const bool drop = !lengths && !keep_dimension;
  Sequence result;
  result.type = tensor.type();
  // Beyond this many, one packed pair is cheaper than that many nodes.
  constexpr std::size_t kMostSlices = 64;
  if (const auto known = known_lengths(tensor, lengths, where); known && known->size() <= kMostSlices) {
    result.elements.emplace();
    if (!known->empty()) {
      ir::Node& slices =
          builder.node("VariadicSplit", {tensor, builder.integer(signed_where), builder.integers(*known)}, {},
                       known->size());
      for (std::size_t i = 0; i < known->size(); ++i) {
        Value slice = slices.value(i);
        if (drop) slice = builder.op("Squeeze", {slice, builder.integers({signed_where})});
        result.elements->push_back(slice);
      }
    }
    result.element = joined(*result.elements);
    return result;
  }
  // With the axis in front, the slices lie one after the other.
  const Value front = where == 0 ? tensor : transpose(builder, tensor, axis_first(signed_where, rank));
  result.values = flat(builder, front);
  const Value shape = shape_of(builder, tensor);
  const Value total = gather(builder, shape, builder.integer(signed_where));
  const auto total_list = [&] { return builder.op("Unsqueeze", {total, builder.integers({0})}); };
  Values row;
  std::vector<ir::Dimension> element;
  for (std::int64_t i = 0; i < rank; ++i) {
    if (i == signed_where) continue;
    row.push_back(gather(builder, shape, builder.integers({i})));
    element.push_back(tensor.shape()[static_cast<std::size_t>(i)]);
  }
  if (!lengths) {
    if (keep_dimension) {
      row.insert(row.begin() + signed_where, builder.integers({1}));
      element.insert(element.begin() + signed_where, ir::Dimension(1));
    }
    const auto element_rank = static_cast<std::int64_t>(row.size());
    const Value one_row = row.empty() ? builder.integers({}) : concat(builder, row, 0);
    const Value target = concat(builder, {total_list(), builder.integers({element_rank})}, 0);
    result.shapes = builder.op("Broadcast", {one_row, target}, {{"mode", "numpy"}});
    result.element = PartialShape(std::move(element));
    return result;
  }
  Value list = lengths;
  if (list.type() != ElementType::i64) {
    list = builder.op("Convert", {list}, {{"destination_type", ElementType::i64}});
  }
  if (list.shape().is_scalar()) {
    // 0, n, 2n, ... below the total; each slice ends where the next begins, the last at the total.
    const Value starts =
        builder.op("Range", {builder.integer(0), total, list}, {{"output_type", ElementType::i64}});
    const Value ends = builder.op("Minimum", {builder.op("Add", {starts, list}), total});
    list = builder.op("Subtract", {ends, starts});
  }
  if (where != 0) result.values = slice_by_slice(builder, tensor, list, signed_where);
  const Value column = builder.op("Unsqueeze", {list, builder.integers({1})});
  element.insert(element.begin() + signed_where, ir::Dimension());
  result.element = PartialShape(std::move(element));
  if (row.empty()) {
    result.shapes = column;
    return result;
  }
  const auto repeated = [&](Values sizes) {
    const auto count = builder.integers({static_cast<std::int64_t>(sizes.size())});
    return builder.op("Broadcast",
                      {concat(builder, sizes, 0), concat(builder, {shape_of(builder, list), count}, 0)},
                      {{"mode", "numpy"}});
  };
  Values columns;
  if (where > 0) columns.push_back(repeated({row.begin(), row.begin() + signed_where}));
  columns.push_back(column);
  if (where < row.size()) columns.push_back(repeated({row.begin() + signed_where, row.end()}));
  result.shapes = concat(builder, columns, 1);
  return result;
}

}  // namespace onnx2ir::frontend
