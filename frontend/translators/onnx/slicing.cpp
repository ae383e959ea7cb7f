// Operators that select or replace parts of a tensor.
#include <algorithm>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::frontend {
namespace {

/// Slice bounds as i64. No axis of a tensor in memory is longer than 32 bits: bounds beyond them mean "to the
/// end" and are saturated.
Value clamp_bounds(NodeContext& node, Value bounds) {
  bounds = convert(node, bounds, ElementType::i64);
  const auto known = node.known_integers(bounds);
  if (!known) return bounds;
  ir::Integers values = *known;
  for (std::int64_t& value : values) value = std::clamp<std::int64_t>(value, -kFarEnd - 1, kFarEnd);
  return values == *known ? bounds : node.integers(values);
}

/// Starts before the first element mean the first element, also if the step is negative. For negative steps
/// OpenVINO's Slice has no elements then, as numpy.
Value clamp_starts(NodeContext& node, Value starts, Value axes, Value steps) {
  const auto known_steps = node.known_integers(steps);
  if (known_steps && std::ranges::none_of(*known_steps, [](std::int64_t step) { return step < 0; })) {
    return starts;
  }
  const auto known_axes = node.known_integers(axes);
  const auto known_starts = node.known_integers(starts);
  if (known_steps && known_axes && known_starts && known_axes->size() == known_starts->size()) {
    ir::Integers inside = *known_starts;
    bool is_known = true;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (inside[i] >= -1 || (*known_steps)[i] > 0) continue;
      const std::int64_t axis = node.axis((*known_axes)[i], node.rank(node.input(0)));
      const ir::Dimension size = node.input(0).shape()[static_cast<std::size_t>(axis)];
      is_known = is_known && (size.is_static() || inside[i] >= -size.min);
      inside[i] = std::max(inside[i], -size.max);
    }
    if (is_known) return inside == *known_starts ? starts : node.integers(inside);
  }
  const Value sizes = gather(node, shape_of(node, node.input(0)), axes);
  return node.op(ops::Maximum, {starts, node.op(ops::Multiply, {sizes, node.integer(-1)})});
}

Values emit_slice(NodeContext& node, Value starts, Value ends, Value axes, Value steps) {
  using Input = inputs::Slice;
  const auto count = starts.shape().element_count();
  const auto may_be_empty = [](Value list) { return !list || list.shape().element_count().value_or(0) == 0; };
  // OpenVINO's Slice needs an axis.
  if (count == 0 && may_be_empty(ends) && may_be_empty(axes) && may_be_empty(steps))
    return {node.input(Input::data)};
  if (count) ir::check_rank(static_cast<std::size_t>(*count));
  if (!steps) {
    steps = count ? node.integers(std::vector<std::int64_t>(static_cast<std::size_t>(*count), 1))
                  : fill(node, 1, ElementType::i64, shape_of(node, starts));
  }
  if (!axes) axes = count ? emit_axes_between(node, 0, *count) : emit_range(node, shape_of(node, starts));
  axes = convert(node, axes, ElementType::i64);
  const auto known = node.known_integers(axes);
  if (known && node.input(Input::data).shape().has_rank())
    reject_repeated_axes(node, *known, node.rank(node.input(Input::data)));
  steps = clamp_bounds(node, steps);
  starts = clamp_starts(node, clamp_bounds(node, starts), axes, steps);
  return {node.op(ops::Slice, {node.input(Input::data), starts, clamp_bounds(node, ends), steps, axes})};
}

/// Slice 1: all in attributes.
Values slice_1(NodeContext& node) {
  const auto starts = node.integer_list("starts");
  const auto ends = node.integer_list("ends");
  if (starts.size() != ends.size()) node.fail("starts and ends differ in length");
  Value axes;
  if (node.has_attribute("axes")) axes = node.integers(node.integer_list("axes"));
  const Value first = node.integers(starts);
  return emit_slice(node, first, node.integers(ends), axes, {});
}

/// Slice 10 (inputs), 11 (negative axes), 13.
Values slice_10(NodeContext& node) {
  using Input = inputs::Slice;
  return emit_slice(node, node.input(Input::starts), node.input(Input::ends),
                    node.optional_input(Input::axes), node.optional_input(Input::steps));
}

/// Gather 1, 11 (negative indices), 13.
Values gather_1(NodeContext& node) {
  const Value data = node.input(0);
  return {gather(node, data, node.input(1), node.axis(node.integer_attribute("axis", 0), node.rank(data)))};
}

/// The axes but `axis` along which GatherElements has fewer indices than its data has elements, or may have.
std::vector<std::int64_t> shorter_axes(const PartialShape& data, const PartialShape& indices,
                                       std::int64_t axis) {
  std::vector<std::int64_t> shorter;
  if (!data.has_rank() || !indices.has_rank() || data.rank() != indices.rank()) return shorter;
  for (std::size_t i = 0; i < data.rank(); ++i) {
    if (static_cast<std::int64_t>(i) == axis || indices[i].is_dynamic()) continue;
    if (data[i].is_dynamic() || indices[i].size() < data[i].size())
      shorter.push_back(static_cast<std::int64_t>(i));
  }
  return shorter;
}

/// OpenVINO's GatherElements requires as many indices as elements along the other axes, and it removes a
/// Slice of the data. So indices are padded with 0, and the additional elements are removed afterwards.
Value gather_shorter_elements(NodeContext& node, Value data, Value indices, std::int64_t axis,
                              const std::vector<std::int64_t>& shorter) {
  const auto rank = data.shape().rank();
  std::vector<Value> added(rank, node.integers({0}));
  std::vector<std::int64_t> ends;
  for (const std::int64_t along : shorter) {
    const auto place = static_cast<std::size_t>(along);
    ends.push_back(indices.shape()[place].size());
    const Value elements = dimension_of(node, data, along);
    added[place] = node.op(ops::Subtract, {elements, node.integers({ends.back()})});
  }
  const Value begins = node.integers(std::vector<std::int64_t>(rank, 0));
  const Value padded = pad_with(node, indices, begins, ir::concat(node, added, 0));
  const Value elements = node.op(ops::GatherElements, {data, padded}, {{"axis", axis}});
  const std::vector<std::int64_t> zeros(shorter.size(), 0);
  const std::vector<std::int64_t> ones(shorter.size(), 1);
  return node.op(ops::Slice, {elements, node.integers(zeros), node.integers(ends), node.integers(ones),
                              node.integers(shorter)});
}

/// GatherElements 11, 13.
Values gather_elements_11(NodeContext& node) {
  const Value data = node.input(0);
  const std::int64_t axis = node.axis(node.integer_attribute("axis", 0), node.rank(data));
  const Value indices = node.input(1);
  const auto shorter = shorter_axes(data.shape(), indices.shape(), axis);
  if (!shorter.empty()) return {gather_shorter_elements(node, data, indices, axis, shorter)};
  return {node.op(ops::GatherElements, {data, indices}, {{"axis", axis}})};
}

/// GatherND 11, 12 (batch_dims), 13. The length of an index determines the rank of the result; if it is
/// dynamic, the declared rank is used.
Values gather_nd_11(NodeContext& node) {
  const Value data = node.input(0);
  Value indices = node.input(1);
  const std::int64_t batch_dims = node.integer_attribute("batch_dims", 0);
  const std::int64_t index_rank = node.rank(indices);
  if (batch_dims < 0 || batch_dims >= index_rank) {
    node.fail("batch_dims is " + std::to_string(batch_dims) + ", the indices have " +
              std::to_string(index_rank) + " axes");
  }
  if (indices.shape()[static_cast<std::size_t>(index_rank - 1)].is_dynamic()) {
    const auto declared = node.declared_rank(0);
    if (!declared) {
      node.fail(
          "the rank of the result is not known: the size of the last axis of the indices, whose shape is " +
              to_string(indices.shape()) + ", is dynamic",
          "give the inputs of the model static sizes with --input, or declare the shape of the result");
    }
    std::vector<std::int64_t> same(static_cast<std::size_t>(index_rank), 0);
    same.back() = node.rank(data) + index_rank - 1 - batch_dims - *declared;
    if (same.back() < 1) node.fail("the declared rank of the result does not fit the inputs");
    indices = reshape_keeping(node, indices, same);
  }
  if (indices.shape()[static_cast<std::size_t>(index_rank - 1)] == ir::Dimension(0))
    node.fail("indices without elements are not converted");
  // Gather takes negative indices on all releases.
  if (batch_dims == 0 && indices.shape()[static_cast<std::size_t>(index_rank - 1)] == ir::Dimension(1))
    return {gather(node, data, squeeze(node, indices, {-1}))};
  return {node.op(ops::GatherND, {data, indices}, {{"batch_dims", batch_dims}})};
}

std::string reduction_of(NodeContext& node) {
  using Input = inputs::ScatterElements;
  std::string reduction = node.text_attribute("reduction", "none");
  // OpenVINO would reduce the bytes of the strings. Onnxruntime has only add, which appends them.
  if (reduction != "none" && node.input(Input::data).type() == ElementType::string) {
    node.fail("a reduction of strings cannot be converted; only reduction 'none' is possible");
  }
  if (reduction == "add") return "sum";
  if (reduction == "mul") return "prod";
  if (reduction == "none" || reduction == "min" || reduction == "max") return reduction;
  node.fail("reduction '" + reduction + "' does not exist");
}

/// Scatter 9, 11 (old name of ScatterElements) and ScatterElements 11, 13, 16 (add, mul), 18 (min, max).
Values scatter_elements_9(NodeContext& node) {
  using Input = inputs::ScatterElements;
  const Value data = node.input(Input::data);
  const std::int64_t axis = node.axis(node.integer_attribute("axis", 0), node.rank(data));
  return {
      scatter(node, data, node.input(Input::indices), node.input(Input::updates), axis, reduction_of(node))};
}

/// The shape of the updates: a part of the data for each row of indices. Of unknown rank if it does not
/// follow from the shapes.
PartialShape shape_of_updates(const PartialShape& data, const PartialShape& indices) {
  if (!data.has_rank() || !indices.has_rank() || indices.rank() == 0) return {};
  const ir::Dimension& depth = indices[indices.rank() - 1];
  if (depth.is_dynamic()) return {};
  if (depth.size() > static_cast<std::int64_t>(data.rank()))
    ir::invalid("the rows of indices have more elements than the data of shape " + to_string(data) +
                " has axes");
  ir::Dimensions sizes(indices.begin(), indices.end() - 1);
  sizes.append(data.begin() + depth.size(), data.end());
  return PartialShape(sizes);
}

/// ScatterND 11, 13, 16 (add, mul), 18 (min, max).
Values scatter_nd_11(NodeContext& node) {
  using Input = inputs::ScatterND;
  const auto inputs = {node.input(Input::data), node.input(Input::indices), node.input(Input::updates)};
  const PartialShape updates =
      shape_of_updates(node.input(Input::data).shape(), node.input(Input::indices).shape());
  if (!ir::intersect(updates, node.input(Input::updates).shape()))
    ir::invalid("the updates have the shape " + to_string(node.input(Input::updates).shape()) + ", not " +
                to_string(updates));
  const std::string reduction = reduction_of(node);
  if (reduction == "none") return {node.op(ops::ScatterNDUpdate, inputs)};
  return {node.op(ops::ScatterNDUpdate, inputs, {{"reduction", reduction}})};
}

/// TensorScatter 24: writes the update into the cache, at the position given for each sample of the batch.
Values tensor_scatter_24(NodeContext& node) {
  using Input = inputs::TensorScatter;
  const Value cache = node.input(Input::past_cache);
  const Value update = node.input(Input::update);
  const std::int64_t rank = node.rank(cache);
  const std::int64_t axis = node.axis(node.integer_attribute("axis", -2), rank);
  if (axis == 0) node.fail("the axis cannot be that of the batch");
  const std::string mode = node.text_attribute("mode", "linear");
  if (mode != "linear" && mode != "circular") node.fail("mode '" + mode + "' does not exist");
  const Value steps = enumerate_along(node, update, axis);
  Value places = add_unit_dimensions(node, steps, axis, rank - axis - 1);
  if (node.has_input(Input::write_indices)) {
    const Value starts = convert(node, node.input(Input::write_indices), ElementType::i64);
    places = node.op(ops::Add, {places, add_unit_dimensions(node, starts, 0, rank - 1)});
  }
  if (mode == "circular") places = node.op(ops::FloorMod, {places, size_of(node, cache, axis)});
  const Value indices = broadcast_to(node, places, shape_of(node, update));
  return {scatter(node, cache, indices, update, axis)};
}

/// Split 1 (lengths as an attribute or input), 2, 11, 13 (as an input), 18 (num_outputs; the last output may
/// be shorter).
Values split_1(NodeContext& node) {
  const Value input = node.input(0);
  const std::int64_t rank = node.rank(input);
  const std::int64_t axis = node.axis(node.integer_attribute("axis", 0), rank);
  const auto count = static_cast<std::int64_t>(node.output_count());
  const Value axis_value = node.integer(axis);
  Value lengths;
  if (node.has_input(1)) {
    lengths = set_length(node, convert(node, node.input(1), ElementType::i64), count);
  } else if (node.has_attribute("split")) {
    lengths = node.integers(node.integer_list("split"));
  } else {
    const std::int64_t parts = node.integer_attribute("num_outputs", count);
    if (parts < 1) node.fail("the node has no outputs");
    if (parts != count) node.fail("num_outputs is not the number of outputs");
    const ir::Dimension size = input.shape()[static_cast<std::size_t>(axis)];
    if (size.is_static()) {
      const std::int64_t chunk = size.size() / parts + (size.size() % parts == 0 ? 0 : 1);
      std::vector<std::int64_t> sizes;
      for (std::int64_t left = size.size(), i = 0; i < parts; ++i) {
        sizes.push_back(std::min(chunk, left));
        left -= sizes.back();
      }
      lengths = node.integers(sizes);
    } else {
      const Value whole = dimension_of(node, input, axis);
      const Value up = node.op(ops::Add, {whole, node.integers({parts - 1})});
      const Value chunk = divide(node, up, node.integers({parts}));
      Values sizes;
      for (std::int64_t part = 1; part < parts; ++part) sizes.push_back(chunk);
      const Value others = node.op(ops::Multiply, {chunk, node.integers({parts - 1})});
      sizes.push_back(node.op(ops::Subtract, {whole, others}));
      lengths = concat(node, sizes);
    }
  }
  return node.node(ops::VariadicSplit, {input, axis_value, lengths}, {}, node.output_count()).values();
}

/// Compress 9, 11: selects along an axis, or from all elements.
Values compress_9(NodeContext& node) {
  Value input = node.input(0);
  std::int64_t axis = 0;
  if (node.has_attribute("axis")) {
    axis = node.axis(node.integer_attribute("axis"), node.rank(input));
  } else {
    input = flatten(node, input);
  }
  return {gather(node, input, find_true(node, node.input(1)), axis)};
}

/// NonZero 9, 13.
Values non_zero_9(NodeContext& node) {
  const Value input = node.input(0);
  const bool is_scalar = input.shape().is_scalar();
  const Value data = is_scalar ? reshape(node, input, std::vector<std::int64_t>{1}) : input;
  const Value found = node.op(ops::NonZero, {data}, {{"output_type", ElementType::i64}});
  // A scalar has no coordinates: [0, 1] if it is not zero, [0, 0] if it is.
  return {is_scalar ? slice(node, found, 0, 0, 0) : found};
}

/// OneHot 9, 11 (negative axes and indices). Indices outside of [-depth, depth) give "off" everywhere.
Values one_hot_9(NodeContext& node) {
  using Input = inputs::OneHot;
  const Value values = node.input(Input::values);
  if (values.shape().element_count().value_or(2) != 2) node.fail("the values must be a list of two elements");
  Value depth = node.input(Input::depth);
  if (const auto known = node.known_numbers(depth); known && known->size() == 1) {
    depth = node.integer(ir::checked_size(known->front()));
  }
  depth = reshape_to_scalar(node, convert(node, depth, ElementType::i64));
  Value indices = convert(node, node.input(Input::indices), ElementType::i64);
  const Value negative = node.op(ops::Less, {indices, node.integer(0)});
  indices = node.op(ops::Select, {negative, node.op(ops::Add, {indices, depth}), indices});
  const std::int64_t axis = node.axis(node.integer_attribute("axis", -1), node.rank(indices) + 1);
  if (values.type() == ElementType::string) {
    // The CPU plugin's OneHot crashes on strings.
    const Value off = node.integer(0);
    const Value on = node.integer(1);
    return {gather(node, values, node.op(ops::OneHot, {indices, depth, on, off}, {{"axis", axis}}))};
  }
  const auto value_at = [&](std::int64_t index) { return gather(node, values, node.integer(index)); };
  return {node.op(ops::OneHot, {indices, depth, value_at(1), value_at(0)}, {{"axis", axis}})};
}

/// Trilu 14: a mask of rows and columns.
Values trilu_14(NodeContext& node) {
  const Value input = node.input(0);
  const std::int64_t rank = node.rank(input);
  if (rank < 2) node.fail("the input must have rank 2 or more");
  const auto positions = [&](std::int64_t axis) { return emit_range(node, dimension_of(node, input, axis)); };
  const Value rows = unsqueeze(node, positions(rank - 2), {1});
  const Value columns = unsqueeze(node, positions(rank - 1), {0});
  Value k = node.integer(0);
  if (node.has_input(1)) k = node.input(1);
  const Value diagonal = node.op(ops::Add, {rows, k});
  const bool upper = node.flag_attribute("upper", true);
  const Value mask = node.op(upper ? ops::GreaterEqual : ops::LessEqual, {columns, diagonal});
  return {node.op(ops::Select, {mask, input, node.number_like(0, input)})};
}

/// ReverseSequence 10.
Values reverse_sequence_10(NodeContext& node) {
  const std::int64_t rank = node.rank(node.input(0));
  const std::int64_t batch = node.axis(node.integer_attribute("batch_axis", 1), rank);
  const std::int64_t time = node.axis(node.integer_attribute("time_axis", 0), rank);
  if (batch == time) node.fail("attributes 'batch_axis' and 'time_axis' are the same axis");
  return {node.op(ops::ReverseSequence, {node.input(0), node.input(1)},
                  {{"batch_axis", batch}, {"seq_axis", time}})};
}

}  // namespace

std::vector<TranslatorRow> slicing_translators() {
  return {
      {"Slice", 1, slice_1},
      {.name = "Slice", .since = 10, .translate = slice_10, .lists = {1, 5}},
      {"Gather", 1, gather_1},
      {"GatherElements", 11, gather_elements_11},
      {"GatherND", 11, gather_nd_11},
      {"Scatter", 9, scatter_elements_9},
      {"ScatterElements", 11, scatter_elements_9, "reductions of strings"},
      {"ScatterND", 11, scatter_nd_11, "reductions of strings"},
      {"TensorScatter", 24, tensor_scatter_24},
      {"Split", 1, split_1},
      {"Compress", 9, compress_9},
      {"NonZero", 9, non_zero_9},
      {"OneHot", 9, one_hot_9},
      {"Trilu", 14, trilu_14},
      {"ReverseSequence", 10, reverse_sequence_10},
  };
}

}  // namespace onnx2ir::frontend
