// Joins packed sequences to one tensor, and splits tensors into packed sequences.
#include <algorithm>
#include <functional>

#include "frontend/graph/packed_sequence.hpp"
#include "ir/checked_arithmetic.hpp"
#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

using namespace packed;

/// Returns a dimension as i64 [1].
using DimensionOf = std::function<Value(std::int64_t)>;

/// The product of dimensions [begin, end), i64 [1].
Value multiply_dimensions(Builder& builder, const DimensionOf& dimension, std::int64_t begin,
                          std::int64_t end) {
  Value product = builder.integers({1});
  for (std::int64_t i = begin; i < end; ++i) product = builder.op(ops::Multiply, {product, dimension(i)});
  return product;
}

/// The tensor is split along `axis` into slices of `lengths` (i64 [count]), which are packed one after the
/// other. Returns the position of each element of the tensor in the packed values: i64 [A, D, B], where A is
/// the product of the dimensions before `axis` and B that of those after it.
Value compute_packed_places(Builder& builder, Value lengths, const DimensionOf& dimension, std::int64_t axis,
                            std::int64_t rank) {
  const auto as = [&](Value value, std::initializer_list<std::int64_t> shape) {
    return reshape(builder, value, builder.integers(shape));
  };
  const auto sum = [&](Value value, std::int64_t over) {
    return reduce(builder, ops::ReduceSum, value, {over});
  };
  const Value before = multiply_dimensions(builder, dimension, 0, axis);
  const Value after = multiply_dimensions(builder, dimension, axis + 1, rank);
  const Value index = emit_range(builder, sum(lengths, 0));
  // For each index along the axis, the number of slices that end before it is the index of its slice.
  const Value ends =
      builder.op(ops::CumSum, {lengths, builder.integer(0)}, {{"exclusive", false}, {"reverse", false}});
  const Value ended =
      convert(builder, builder.op(ops::LessEqual, {as(ends, {1, -1}), as(index, {-1, 1})}), ElementType::i64);
  const Value start = sum(builder.op(ops::Multiply, {ended, as(lengths, {1, -1})}), 1);
  const Value length = gather(builder, lengths, sum(ended, 1));
  // before * start + outer * length + (index - start), in units of `after`.
  const Value outer = as(emit_range(builder, before), {-1, 1});
  const Value in_slice = builder.op(ops::Subtract, {index, start});
  Value place = builder.op(ops::Add, {builder.op(ops::Multiply, {before, start}), in_slice});
  place = builder.op(ops::Add, {builder.op(ops::Multiply, {outer, as(length, {1, -1})}), as(place, {1, -1})});
  place = builder.op(ops::Multiply, {unsqueeze(builder, place, {2}), after});
  return builder.op(ops::Add, {place, emit_range(builder, after)});
}

/// Joins the packed `sequence` along `axis`, in which the sizes of elements differ.
Value join_slices(Builder& builder, const Sequence& sequence, std::int64_t axis,
                  const DimensionOf& dimension) {
  const std::int64_t rank = element_rank(sequence);
  const Value lengths = gather(builder, sequence.shapes, builder.integer(axis), 1);
  const Value places = compute_packed_places(builder, lengths, dimension, axis, rank);
  Values shape;
  for (std::int64_t i = 0; i < rank; ++i) {
    shape.push_back(i == axis ? reduce_keep_dims(builder, ops::ReduceSum, lengths, {0}) : dimension(i));
  }
  const Value sizes = concat(builder, shape, 0);
  return reshape(builder, gather(builder, sequence.values, places), sizes);
}

/// `value`, which holds all elements of the packed `sequence`, with their common sizes and the sum of those
/// along `axis`.
Value reshape_to_sum(Builder& builder, Value value, const Sequence& sequence, std::int64_t axis,
                     const DimensionOf& dimension) {
  Value sum;
  // A Reshape cannot infer a size beside a size of 0.
  if (ir::may_be_empty_beside(sequence.shape, static_cast<std::size_t>(axis))) {
    const Value lengths = gather(builder, sequence.shapes, builder.integer(axis), 1);
    sum = reduce_keep_dims(builder, ops::ReduceSum, lengths, {0});
  } else {
    sum = builder.integers({-1});
  }
  Values shape;
  for (std::int64_t i = 0; i < element_rank(sequence); ++i) shape.push_back(i == axis ? sum : dimension(i));
  return reshape(builder, value, concat(builder, shape, 0));
}

/// Stacks the elements along a new first axis.
Value stack(Builder& builder, const Sequence& sequence, const DimensionOf& dimension) {
  // If the element size is known, it is not computed from `shapes`, which may be unused then.
  const bool is_size_known = sequence.shape.element_count().value_or(0) > 0;
  Values shape{is_size_known ? builder.integers({-1})
                             : unsqueeze(builder, emit_packed_length(builder, sequence), {0})};
  for (std::int64_t i = 0; i < element_rank(sequence); ++i) shape.push_back(dimension(i));
  return reshape(builder, sequence.values, concat(builder, shape, 0));
}

Value concatenate_list(Builder& builder, const ElementList& elements, std::int64_t axis, bool new_axis) {
  if (elements.empty()) ir::invalid("an empty sequence is concatenated");
  Values parts = elements.values();
  if (new_axis) {
    for (Value& part : parts) part = unsqueeze(builder, part, {axis});
  }
  return concat(builder, parts, axis);
}

/// Each slice becomes a value of the graph.
constexpr std::int64_t kMaxSlices = 1 << 16;

/// The lengths of the slices if their number and lengths are known.
std::optional<ir::Integers> known_lengths(Value tensor, Value lengths, std::size_t axis) {
  const ir::Dimension dimension = tensor.shape()[axis];
  if (!lengths) {
    if (!dimension.is_static()) return std::nullopt;
    return ir::Integers(ir::checked_count(dimension.size(), kMaxSlices), 1);
  }
  auto known = ir::exact_values(lengths);
  if (!known) return std::nullopt;
  if (!lengths.shape().is_scalar()) return known;
  if (!dimension.is_static()) return std::nullopt;
  if (known->front() <= 0) ir::invalid("slices must have a positive length");
  ir::checked_count(dimension.size() / known->front(), kMaxSlices);
  std::vector<std::int64_t> result;
  for (std::int64_t left = dimension.size(); left > 0; left -= known->front()) {
    result.push_back(std::min(left, known->front()));
  }
  return result;
}

/// Whether all slices have one element: `lengths` is a list of ones, whose number may be known only at run
/// time, or the length 1 of equal slices.
bool are_ones(Value lengths) {
  if (!lengths) return false;
  const Value source = lengths.node->is(ops::Broadcast) ? lengths.node->input(0) : lengths;
  const auto known = ir::exact_values(source);
  return known && !known->empty() &&
         std::ranges::all_of(*known, [](std::int64_t value) { return value == 1; });
}

/// Converts `lengths`, a list or the length of equal slices of `total` (i64 scalar), to a list.
Value convert_to_lengths(Builder& builder, Value lengths, Value total) {
  Value list = convert(builder, lengths, ElementType::i64);
  if (list.shape().is_scalar()) {
    // Starts 0, n, 2n, ... below the total; each slice ends at the start of the next one, the last one at the
    // total.
    const Value starts =
        builder.op(ops::Range, {builder.integer(0), total, list}, {{"output_type", ElementType::i64}});
    const Value ends = builder.op(ops::Minimum, {builder.op(ops::Add, {starts, list}), total});
    list = builder.op(ops::Subtract, {ends, starts});
  }
  return list;
}

/// The slices of `tensor` along `axis`, with lengths that are known only at run time.
Sequence slice_by_lengths(Builder& builder, Value tensor, Value lengths, std::int64_t axis) {
  const std::int64_t rank = rank_of(tensor);
  const Value shape = ir::compute_shape_of(builder, tensor);
  const Value total = gather(builder, shape, builder.integer(axis));
  const Value list = convert_to_lengths(builder, lengths, total);
  const auto dimension = [&](std::int64_t i) { return gather(builder, shape, builder.integers({i})); };
  Sequence result;
  result.type = tensor.type();
  result.values = flatten(builder, tensor);
  if (axis != 0) {
    const Value places = flatten(builder, compute_packed_places(builder, list, dimension, axis, rank));
    result.values =
        builder.op(ops::ScatterElementsUpdate, {result.values, places, result.values, builder.integer(0)},
                   {{"reduction", "none"}, {"use_init_val", true}});
  }
  const Value rows = concat(builder, {ir::compute_shape_of(builder, list), builder.integers({1})}, 0);
  Values columns;
  ir::Dimensions element(tensor.shape().begin(), tensor.shape().end());
  element[static_cast<std::size_t>(axis)] = ir::Dimension();
  for (std::int64_t i = 0; i < rank; ++i) {
    columns.push_back(i == axis ? unsqueeze(builder, list, {1}) : broadcast_to(builder, dimension(i), rows));
  }
  result.shapes = concat(builder, columns, 1);
  result.shape = PartialShape(std::move(element));
  return result;
}

/// Slices of known lengths, as a list of elements. `drops_axis`: the slices have one element along the axis.
Sequence split_into_list(Builder& builder, Value tensor, const ir::Integers& lengths, std::int64_t axis,
                         bool drops_axis) {
  Values elements;
  if (!lengths.empty()) {
    ir::Node& slices = builder.node(
        ops::VariadicSplit, {tensor, builder.integer(axis), builder.integers(lengths)}, {}, lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Value slice = slices.value(i);
      elements.push_back(drops_axis ? squeeze(builder, slice, {axis}) : slice);
    }
  }
  Sequence result;
  result.type = tensor.type();
  result.elements = ElementList(elements);
  describe_elements(result);
  return result;
}

/// The packed form of all slices of one element along `axis`.
Sequence pack_slices(Builder& builder, Value tensor, std::int64_t axis, bool keeps_axis) {
  const std::int64_t rank = rank_of(tensor);
  Sequence result;
  result.type = tensor.type();
  // If the axis is the first one, the slices are contiguous.
  result.values = flatten(builder, ir::move_axis(builder, tensor, axis, 0));
  const Value shape = ir::compute_shape_of(builder, tensor);
  Values row;
  ir::Dimensions element;
  for (std::int64_t i = 0; i < rank; ++i) {
    if (i == axis) continue;
    row.push_back(gather(builder, shape, builder.integers({i})));
    element.push_back(tensor.shape()[static_cast<std::size_t>(i)]);
  }
  if (keeps_axis) {
    row.insert(row.begin() + axis, builder.integers({1}));
    element.insert(element.begin() + axis, ir::Dimension(1));
  }
  const Value total = gather(builder, shape, builder.integers({axis}));
  if (!row.empty()) {
    const auto element_rank = static_cast<std::int64_t>(row.size());
    const Value target = concat(builder, {total, builder.integers({element_rank})}, 0);
    result.shapes = broadcast_to(builder, concat(builder, row), target);
  }
  result.shape = PartialShape(std::move(element));
  return result;
}

}  // namespace

Value concatenate(Builder& builder, const Sequence& sequence, std::int64_t axis, bool new_axis) {
  const std::int64_t rank = element_rank(sequence);
  check_one_rank(sequence);
  const std::int64_t result_rank = rank + (new_axis ? 1 : 0);
  const auto where =
      static_cast<std::int64_t>(ir::normalize_axis(axis, static_cast<std::size_t>(result_rank)));
  if (sequence.elements) return concatenate_list(builder, *sequence.elements, where, new_axis);
  // The elements differ only along `axis`: use the shape of the first one.
  const Value first = rank > 0 ? gather(builder, sequence.shapes, builder.integer(0)) : Value{};
  const auto dimension = [&](std::int64_t index) {
    const ir::Dimension known = sequence.shape[static_cast<std::size_t>(index)];
    return known.is_static() ? builder.integers({known.size()})
                             : gather(builder, first, builder.integers({index}));
  };
  if (!new_axis && where == 0) return reshape_to_sum(builder, sequence.values, sequence, 0, dimension);
  if (!new_axis && !sequence.shape[static_cast<std::size_t>(where)].is_static()) {
    return join_slices(builder, sequence, where, dimension);
  }
  Value stacked = new_axis ? sequence.stacked : Value{};
  if (!stacked) stacked = stack(builder, sequence, dimension);
  stacked = ir::move_axis(builder, stacked, 0, where);
  return new_axis ? stacked : reshape_to_sum(builder, stacked, sequence, where, dimension);
}

Sequence split(Builder& builder, Value tensor, Value lengths, std::int64_t axis, bool keep_dimension) {
  const std::size_t where = ir::normalize_axis(axis, static_cast<std::size_t>(rank_of(tensor)));
  const auto signed_where = static_cast<std::int64_t>(where);
  // For more elements, one packed pair is cheaper than that many nodes.
  constexpr std::size_t kMaxElements = 64;
  if (const auto known = known_lengths(tensor, lengths, where); known && known->size() <= kMaxElements)
    return split_into_list(builder, tensor, *known, signed_where, !lengths && !keep_dimension);
  if (are_ones(lengths)) return split(builder, tensor, {}, axis, true);
  if (lengths) return slice_by_lengths(builder, tensor, lengths, signed_where);
  return pack_slices(builder, tensor, signed_where, keep_dimension);
}

}  // namespace onnx2ir::frontend
