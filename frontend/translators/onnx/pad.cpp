// Pad in all its versions.
#include <algorithm>
#include <span>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

struct Pads {
  Value begins;  ///< i64 [rank]
  Value ends;    ///< i64 [rank]
};

/// Pads for axes that are known only at run time: scattered into a list of zeros.
Pads scatter_pads(NodeContext& node, std::int64_t rank, Value pads, Value axes) {
  const Value count = shape_of(node, axes);
  const Value from_start =
      node.op(ops::FloorMod, {node.op(ops::Add, {axes, node.integer(rank)}), node.integer(rank)});
  const Value zeros = node.integers(std::vector<std::int64_t>(static_cast<std::size_t>(rank), 0));
  const auto spread = [&](Value part) { return scatter(node, zeros, from_start, part, 0); };
  return {spread(slice(node, pads, node.integers({0}), count, 0)),
          spread(slice(node, pads, count, node.integers({kFarEnd}), 0))};
}

/// `pads` are for the axes `axes` (all axes if null): first all begins, then all ends.
Pads split_pads(NodeContext& node, Value input, Value pads, Value axes) {
  const std::int64_t rank = node.rank(input);
  pads = convert(node, pads, ElementType::i64);
  if (axes && !node.known_integers(axes)) return scatter_pads(node, rank, pads, convert_to_list(node, axes));
  std::int64_t count = rank;
  if (axes) {
    const auto known = axes.shape().element_count();
    if (!known) node.fail("the number of axes is not known");
    count = *known;
  }
  if (const auto total = pads.shape().element_count(); total && *total != 2 * count) {
    node.fail("pads has " + std::to_string(*total) + " values, " + std::to_string(2 * count) + " are needed");
  }
  const auto known_pads = node.known_integers(pads);
  const auto part = [&](std::int64_t first) {
    return known_pads ? node.integers(std::span(*known_pads).subspan(std::size_t(first), std::size_t(count)))
                      : slice(node, pads, first, first + count, 0);
  };
  const Pads result{part(0), part(count)};
  if (!axes) return result;
  auto positions = node.require_integers(axes, "the axes");
  reject_repeated_axes(node, positions, rank);
  for (std::int64_t& axis : positions) axis = node.axis(axis, rank);
  // Each axis of the input takes its pad from the list, or the zero appended to it.
  std::vector<std::int64_t> source(static_cast<std::size_t>(rank), count);
  for (std::size_t i = 0; i < positions.size(); ++i)
    source[static_cast<std::size_t>(positions[i])] = std::int64_t(i);
  const auto spread = [&](Value list) {
    const Value with_zero = concat(node, {list, node.integers({0})});
    return gather(node, with_zero, node.integers(source));
  };
  return {spread(result.begins), spread(result.ends)};
}

/// Whether no pad is known to be negative or dynamic.
bool are_not_negative(const NodeContext& node, const Pads& pads) {
  for (const Value list : {pads.begins, pads.ends}) {
    const auto known = node.known_integers(list);
    if (!known || std::ranges::any_of(*known, [](std::int64_t pad) { return pad < 0; })) return false;
  }
  return true;
}

/// `input` without the elements that negative pads remove; the other pads, and 0 for these.
Value crop(NodeContext& node, Value input, Pads& pads) {
  const Value zeros = node.integers(std::vector<std::int64_t>(static_cast<std::size_t>(node.rank(input)), 0));
  const auto negate = [&](Value list) { return node.op(ops::Subtract, {zeros, list}); };
  const auto positive = [&](Value list) { return node.op(ops::Maximum, {list, zeros}); };
  const Value starts = positive(negate(pads.begins));
  const Value removed = positive(negate(pads.ends));
  const Value stops = node.op(ops::Subtract, {shape_of(node, input), removed});
  pads = {positive(pads.begins), positive(pads.ends)};
  const Value ones = node.integers(std::vector<std::int64_t>(static_cast<std::size_t>(node.rank(input)), 1));
  return node.op(ops::Slice, {input, starts, stops, ones, emit_axes_between(node, 0, node.rank(input))});
}

/// Periodic padding: position p of an axis of size n reads p mod n. As in onnxruntime, negative pads remove
/// elements before the rest is repeated.
Value wrap(NodeContext& node, Value input, Pads pads) {
  if (!are_not_negative(node, pads)) input = crop(node, input, pads);
  for (std::int64_t axis = 0; axis < node.rank(input); ++axis) {
    const auto pad = [&](Value list) { return gather(node, list, node.integer(axis)); };
    const Value size = reshape_to_scalar(node, dimension_of(node, input, axis));
    const Value start = node.op(ops::Subtract, {node.integer(0), pad(pads.begins)});
    const Value stop = node.op(ops::Add, {size, pad(pads.ends)});
    const Value positions =
        node.op(ops::Range, {start, stop, node.integer(1)}, {{"output_type", ElementType::i64}});
    input = gather(node, input, node.op(ops::FloorMod, {positions, size}), axis);
  }
  return input;
}

Values emit_pad(NodeContext& node, const Pads& pads, Value fill) {
  using Input = inputs::Pad;
  const std::string mode = node.text_attribute("mode", "constant");
  const Value input = node.input(Input::data);
  if (mode == "wrap") return {wrap(node, input, pads)};
  const bool is_constant = mode == "constant";
  if (input.type() == ElementType::string) node.fail("OpenVINO's Pad takes no strings");
  if (!is_constant && mode != "edge" && mode != "reflect") node.fail("mode '" + mode + "' does not exist");
  if (!is_constant || !fill) fill = node.number_like(0, input);
  return {node.op(ops::Pad, {input, pads.begins, pads.ends, reshape_to_scalar(node, fill)},
                  {{"pad_mode", mode}})};
}

/// Pad 1 (attribute paddings) and 2 (attribute pads).
Values pad_1(NodeContext& node) {
  using Input = inputs::Pad;
  const char* name = node.has_attribute("pads") ? "pads" : "paddings";
  const Pads pads = split_pads(node, node.input(Input::data), node.integers(node.integer_list(name)), {});
  return emit_pad(node, pads, node.number_like(node.real_attribute("value", 0.0), node.input(Input::data)));
}

/// Pad 11 (pads as an input), 13, 18 (axes), 19 (wrap), 21, 23, 24, 25.
Values pad_11(NodeContext& node) {
  using Input = inputs::Pad;
  const Pads pads =
      split_pads(node, node.input(Input::data), node.input(Input::pads), node.optional_input(Input::axes));
  return emit_pad(node, pads, node.optional_input(Input::constant_value));
}

}  // namespace

std::vector<TranslatorRow> pad_translators() {
  return {
      {"Pad", 1, pad_1},
      {.name = "Pad", .since = 11, .translate = pad_11, .limits = "strings", .lists = {1, 2}},
  };
}

}  // namespace onnx2ir::frontend
