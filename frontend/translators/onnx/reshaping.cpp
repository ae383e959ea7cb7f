// Operators that change a tensor's shape but not the order of its elements, and those that return the shape.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "frontend/graph/required_rank.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"
#include "ir/inference.hpp"
#include "ir/size_rules.hpp"

namespace onnx2ir::frontend {
namespace {

/// Shape 1, 13, 15 (start, end), 19, 21, 23, 24, 25.
Values shape_1(NodeContext& node) {
  const Value input = node.input(0);
  const Value shape = shape_of(node, input);
  if (!node.has_attribute("start") && !node.has_attribute("end")) return {shape};
  const std::int64_t rank = node.rank(input);
  const auto clamp = [&](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t start = clamp(node.integer_attribute("start", 0));
  const std::int64_t end = std::max(start, clamp(node.integer_attribute("end", rank)));
  const Value stop = node.integers({end});
  return {slice(node, shape, node.integers({start}), stop, 0)};
}

/// Size 1, 13, 19, 21, 23, 24, 25.
Values size_1(NodeContext& node) {
  const Value input = node.input(0);
  if (const auto count = input.shape().element_count()) return {node.integer(*count)};
  return {reduce(node, ops::ReduceProd, shape_of(node, input), {0})};
}

/// `list` with the -1 replaced by `size` if it is in a constant part of a Concat; otherwise `list`.
Value fill_remaining_size(NodeContext& node, Value list, std::int64_t size) {
  if (!list.node->is(ops::Concat)) return list;
  Values parts(list.node->inputs().begin(), list.node->inputs().end());
  for (Value& part : parts) {
    auto known = node.known_integers(part);
    if (!known) continue;
    const auto inferred = std::ranges::find(*known, -1);
    if (inferred == known->end()) continue;
    *inferred = size;
    part = node.integers(*known);
  }
  return concat(node, parts);
}

/// Reshape 1 (shape as an attribute), 5, 13, 14 (allowzero), 19, 21, 23, 24, 25.
Values reshape_1(NodeContext& node) {
  const Value input = node.input(0);
  const Value shape = node.has_input(1) ? node.input(1) : node.integers(node.integer_list("shape"));
  const bool special_zero = !node.flag_attribute("allowzero");
  const auto known = node.known_integers(shape);
  if (special_zero && known && input.shape().has_rank()) {
    for (std::size_t i = 0; i < known->size(); ++i) {
      if ((*known)[i] == 0 && i >= input.shape().rank())
        node.fail("the shape copies a dimension the input does not have");
    }
  }
  Value list = convert_to_dimensions(node, shape);
  // A dynamic shape may leave a static size for the -1: [n, m, 4 * 8] as [n, m, -1, 8].
  const ir::Size remaining = ir::remaining_size(input, list, special_zero);
  if (const auto size = remaining == nullptr ? std::nullopt : remaining->constant())
    list = fill_remaining_size(node, list, *size);
  return {node.op(ops::Reshape, {input, list}, {{"special_zero", special_zero}})};
}

/// Flatten 1, 9, 11 (negative axes), 13, 21, 23, 24, 25.
Values flatten_1(NodeContext& node) {
  const Value input = node.input(0);
  const std::int64_t rank = node.rank(input);
  std::int64_t axis = node.integer_attribute("axis", 1);
  if (axis < -rank || axis > rank) node.fail("axis " + std::to_string(axis) + " is out of range");
  if (axis < 0) axis += rank;
  const auto product = [&](std::int64_t first, std::int64_t last) -> Value {
    std::int64_t known = 1;
    bool all_known = true;
    for (std::int64_t i = first; i < last; ++i) {
      const ir::Dimension dimension = input.shape()[static_cast<std::size_t>(i)];
      all_known = all_known && dimension.is_static();
      known = ir::checked_multiply(known, std::max<std::int64_t>(dimension.size(), 0));
    }
    if (all_known) return node.integers({known});
    const Value end = node.integers({last});
    const Value start = node.integers({first});
    const Value part = slice(node, shape_of(node, input), start, end, 0);
    return reduce_keep_dims(node, ops::ReduceProd, part, {0});
  };
  Value outer = product(0, axis);
  Value inner = product(axis, rank);
  // One dynamic size follows from the other one, unless the tensor is empty.
  if (const auto known = node.known_integers(inner); known && known->front() > 0) outer = node.integers({-1});
  return {reshape(node, input, concat(node, {outer, inner}))};
}

/// Axes from input 1 (newer versions) or from the attribute; no value if neither is given, or if the input is
/// known only at run time.
std::optional<ir::Integers> axes_of(const NodeContext& node) {
  if (!node.has_input(1))
    return node.has_attribute("axes") ? std::optional(node.integer_list("axes")) : std::nullopt;
  if (node.input(1).shape().element_count() == 0) return ir::Integers{};
  return node.known_integers(node.input(1));
}

/// A list of `rank` zeros with 1 at the positions `axes` (i64 list, negative from the end).
Value mark_axes(NodeContext& node, Value axes, std::int64_t rank) {
  const Value wrapped = node.op(ops::Add, {axes, node.integer(rank)});
  const Value positions = node.op(ops::FloorMod, {wrapped, node.integer(rank)});
  const Value zeros = node.integers(std::vector<std::int64_t>(static_cast<std::size_t>(rank), 0));
  const Value sizes = shape_of(node, axes);
  const Value ones = fill(node, 1, ElementType::i64, sizes);
  return scatter(node, zeros, positions, ones, 0);
}

/// Axes that are known only at run time, as a list. Their number is that of the list, or `by_rank`, which
/// follows from the ranks of input and output.
Value normalize_run_time_axes(NodeContext& node, Value axes, std::optional<std::int64_t> by_rank) {
  axes = convert_to_list(node, axes);
  if (axes.shape().element_count()) return axes;
  if (!by_rank || *by_rank < 0) node.fail("neither the axes nor their number is known");
  return set_length(node, axes, *by_rank);
}

/// The positions at which `marks`, a list of zeros and ones, is 0; there are `count`.
Value find_unmarked(NodeContext& node, Value marks, std::int64_t count) {
  const Value free = node.op(ops::Equal, {marks, node.integer(0)});
  const Value places = node.op(ops::NonZero, {free}, {{"output_type", ElementType::i64}});
  return reshape(node, places, std::vector<std::int64_t>{count});
}

/// Squeeze with axes that are known only at run time: their number determines the rank of the result.
Value squeeze_at_run_time(NodeContext& node, Value input, Value axes) {
  const std::int64_t rank = node.rank(input);
  const auto declared = node.declared_rank(0);
  axes = normalize_run_time_axes(node, axes, declared ? std::optional(rank - *declared) : std::nullopt);
  // As in onnxruntime, an axis may be given more than once; then only the declared rank determines their
  // number.
  const std::int64_t given = *axes.shape().element_count();
  const std::int64_t count = declared && *declared <= rank ? std::min(given, rank - *declared) : given;
  if (count > rank) node.fail("there are more axes than dimensions");
  const Value kept = find_unmarked(node, mark_axes(node, axes, rank), rank - count);
  return reshape(node, input, gather(node, shape_of(node, input), kept));
}

/// Unsqueeze with axes that are known only at run time.
Value unsqueeze_at_run_time(NodeContext& node, Value input, Value axes) {
  const std::int64_t rank = node.rank(input);
  const auto declared = node.declared_rank(0);
  axes = normalize_run_time_axes(node, axes, declared ? std::optional(*declared - rank) : std::nullopt);
  const auto count = axes.shape().element_count();
  ir::check_rank(ir::checked_count(*count));
  const Value places = find_unmarked(node, mark_axes(node, axes, rank + *count), rank);
  const Value ones = node.integers(std::vector<std::int64_t>(static_cast<std::size_t>(rank + *count), 1));
  if (rank == 0) return reshape(node, input, ones);
  const Value shape = scatter(node, ones, places, shape_of(node, input), 0);
  return reshape(node, input, shape);
}

/// Squeeze without axes removes axes of size 1. Those of unknown size are removed, or remain, all together:
/// Reshape fails at run time if a removed one has another size.
Value squeeze_units(NodeContext& node, Value input) {
  const ir::PartialShape& shape = input.shape();
  std::vector<std::int64_t> units;
  std::vector<std::int64_t> unknown;
  std::vector<std::int64_t> kept;
  for (std::int64_t axis = 0; axis < node.rank(input); ++axis) {
    const ir::Dimension& size = shape[static_cast<std::size_t>(axis)];
    (!size.admits(1) ? kept : size.is_static() ? units : unknown).push_back(axis);
  }
  if (unknown.empty()) return squeeze(node, input, units);
  const auto remove_unknown = [&] {
    const Value sizes = shape_of(node, input);
    return reshape(node, input, gather(node, sizes, node.integers(kept)));
  };
  const auto declared = node.declared_rank(0);
  if (declared == std::ssize(kept)) return remove_unknown();
  if (kept.empty() && must_be_scalar(node.translator(), std::string(node.output_name(0))))
    return remove_unknown();
  const bool is_declared_between = declared && *declared < std::ssize(kept) + std::ssize(unknown);
  const auto removes = is_declared_between ? std::nullopt : node.translator().choose_rank(false);
  if (!removes) {
    node.fail("no axes are given and dimension " + std::to_string(unknown.front()) +
                  " of the input is not known: " + to_string(shape),
              "OpenVINO has no values of dynamic rank; give the model's inputs static shapes");
  }
  node.warn(
      DiagnosticCode::assumed_rank,
      std::string("axes of unknown size ") + (*removes ? "are removed" : "remain") + ": " + to_string(shape));
  return *removes ? remove_unknown() : squeeze(node, input, units);
}

/// Squeeze 1, 11 (negative axes), 13 (axes as an input), 21, 23, 24, 25.
Values squeeze_1(NodeContext& node) {
  const Value input = node.input(0);
  const std::int64_t rank = node.rank(input);
  auto axes = axes_of(node);
  if (!axes && node.has_input(1)) return {squeeze_at_run_time(node, input, node.input(1))};
  // onnxruntime accepts an axis that is given more than once.
  if (axes) axes = distinct_axes(node, *axes, rank);
  // As in onnxruntime, an empty list means all axes of size 1.
  return {axes && !axes->empty() ? squeeze(node, input, axes->unchecked()) : squeeze_units(node, input)};
}

/// Unsqueeze 1, 11 (negative axes), 13 (axes as an input), 21, 23, 24, 25.
Values unsqueeze_1(NodeContext& node) {
  const Value input = node.input(0);
  auto axes = axes_of(node);
  if (!axes && node.has_input(1)) return {unsqueeze_at_run_time(node, input, node.input(1))};
  if (!axes) node.fail("no axes are given");
  const std::int64_t rank = node.rank(input) + std::ssize(*axes);
  for (std::int64_t& axis : *axes) axis = node.axis(axis, rank);
  reject_repeated_axes(node, *axes, rank);
  return {unsqueeze(node, input, axes->unchecked())};
}

/// Transpose 1, 13, 21, 23, 24, 25.
Values transpose_1(NodeContext& node) {
  const Value input = node.input(0);
  auto order = node.integer_list("perm");
  const std::int64_t rank = node.rank(input);
  if (!node.has_attribute("perm")) {
    order.resize(static_cast<std::size_t>(rank));
    std::iota(order.rbegin(), order.rend(), 0);
  }
  if (std::cmp_not_equal(order.size(), rank)) ir::invalid("perm does not have one element for each axis");
  for (std::int64_t& axis : order) axis = node.axis(axis, rank);
  reject_repeated_axes(node, order, rank);
  if (rank < 2) return {input};
  return {transpose(node, input, order.unchecked())};
}

/// Expand 8, 13: bidirectional broadcast.
Values expand_8(NodeContext& node) {
  return {node.op(ops::Broadcast, {node.input(0), convert_to_dimensions(node, node.input(1))},
                  {{"mode", "bidirectional"}})};
}

/// Tile 1: repeats one axis; 6, 13: repeats all axes.
Values tile_1(NodeContext& node) {
  using Input = inputs::Tile1;
  const Value input = node.input(Input::input);
  const std::int64_t rank = node.rank(input);
  // Both have the type of the data.
  const auto whole = [&](std::size_t index, std::string_view what) {
    const auto values = node.require_numbers(node.input(index), what);
    if (values.size() != 1 || std::isnan(values.front()))
      node.fail(std::string(what) + " must be one number");
    return static_cast<std::int64_t>(std::clamp(values.front(), -1e9, 1e9));
  };
  const std::int64_t axis = node.axis(whole(Input::axis, "the axis"), rank);
  const auto repeats = shape_along(axis, rank, whole(Input::tiles, "the number of tiles"));
  return {node.op(ops::Tile, {input, node.integers(repeats)})};
}

Values tile_6(NodeContext& node) {
  using Input = inputs::Tile6;
  const Value input = node.input(Input::input);
  // A scalar has no axes to repeat.
  if (input.shape().is_scalar()) return {input};
  const std::int64_t rank = node.rank(input);
  const Value repeats = set_length(node, convert(node, node.input(Input::repeats), ElementType::i64), rank);
  const auto known = node.known_integers(repeats);
  return {node.op(ops::Tile, {input, known ? node.integers(*known) : repeats})};
}

/// Concat 1 (axis optional, 1), 4, 11, 13.
Values concat_1(NodeContext& node) {
  const Values inputs = node.inputs();
  if (inputs.empty()) node.fail("it has no inputs");
  return {concat(node, inputs, node.axis(node.integer_attribute("axis", 1), node.rank(inputs.front())))};
}

/// DepthToSpace 1, 11 (mode), 13; SpaceToDepth 1, 13, 27 (mode).
template <ir::Op kOperation>
Values move_blocks(NodeContext& node) {
  const std::string mode = node.text_attribute("mode", "DCR") == "CRD" ? "depth_first" : "blocks_first";
  return {node.op(kOperation, {node.input(0)},
                  {{"mode", mode}, {"block_size", node.integer_attribute("blocksize")}})};
}

}  // namespace

std::vector<TranslatorRow> reshaping_translators() {
  return {
      {"Shape", 1, shape_1},
      {"Size", 1, size_1},
      {.name = "Reshape", .since = 1, .translate = reshape_1, .lists = {1, 2}},
      {"Flatten", 1, flatten_1},
      {"Squeeze", 1, squeeze_1,
       "without axes, an input whose shape is not known, unless declared or later ranks decide"},
      {"Unsqueeze", 1, unsqueeze_1},
      {.name = "Transpose", .since = 1, .translate = transpose_1, .ranks = RankRule::keep},
      {.name = "Expand", .since = 8, .translate = expand_8, .lists = {1, 2}},
      {"Tile", 1, tile_1, "tiles and axis that are not known at conversion time"},
      {.name = "Tile", .since = 6, .translate = tile_6, .lists = {1, 2}},
      {"Concat", 1, concat_1},
      {"DepthToSpace", 1, move_blocks<ops::DepthToSpace>},
      {"SpaceToDepth", 1, move_blocks<ops::SpaceToDepth>},
  };
}

}  // namespace onnx2ir::frontend
