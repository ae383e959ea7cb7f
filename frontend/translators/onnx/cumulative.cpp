// Cumulative sums and products, and Range.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// CumSum 11, 14.
Values cum_sum_11(NodeContext& node) {
  const Value axis = require_scalar(node, node.input(1), "axis");
  return {node.op(
      ops::CumSum, {node.input(0), axis},
      {{"exclusive", node.flag_attribute("exclusive")}, {"reverse", node.flag_attribute("reverse")}})};
}

/// The products of the elements of `input` before each element (and with it, unless exclusive) along `axis`:
/// products of the rows of a matrix in which excluded elements are 1.
Value cumulative_product(NodeContext& node, Value input, std::int64_t axis) {
  const std::int64_t rank = node.rank(input);
  const bool exclusive = node.flag_attribute("exclusive");
  const bool reverse = node.flag_attribute("reverse");
  // [..., n, ...] -> [..., n, n, ...]: the first n is the result, the second one the elements.
  const Value x = unsqueeze(node, input, {axis});
  const Value positions = enumerate_along(node, input, axis);
  const Value elements = add_unit_dimensions(node, positions, 1, rank - axis - 1);
  const Value results = add_unit_dimensions(node, positions, 0, rank - axis);
  const ir::Op comparison =
      exclusive ? (reverse ? ops::Greater : ops::Less) : (reverse ? ops::GreaterEqual : ops::LessEqual);
  const Value counts = node.op(comparison, {elements, results});
  const Value factors = node.op(ops::Select, {counts, x, node.number_like(1, x)});
  return reduce(node, ops::ReduceProd, factors, {axis + 1});
}

/// The order of `values` from the smallest to the largest.
Value sort_ascending(NodeContext& node, Value values, std::int64_t size) {
  return top_k(node, values, node.integer(size), 0, "min").value(1);
}

/// CumProd 26. An axis that is known only at run time is moved to the end.
Values cum_prod_26(NodeContext& node) {
  const Value x = node.input(0);
  const std::int64_t rank = node.rank(x);
  const Value axis = require_scalar(node, node.input(1), "axis");
  if (const auto known_axis = node.known_integers(axis))
    return {cumulative_product(node, x, node.axis(known_axis->front(), rank))};
  if (rank == 1) return {cumulative_product(node, x, 0)};
  const Value axes = emit_axes_between(node, 0, rank);
  const Value place = node.op(ops::FloorMod, {convert(node, axis, ElementType::i64), node.integer(rank)});
  const Value keys = node.op(ops::Select, {node.op(ops::Equal, {axes, place}), node.integer(rank), axes});
  const Value order = sort_ascending(node, keys, rank);
  const Value products = cumulative_product(node, node.op(ops::Transpose, {x, order}), rank - 1);
  return {node.op(ops::Transpose, {products, sort_ascending(node, order, rank)})};
}

/// Range 11, 27.
Values range_11(NodeContext& node) {
  using Input = inputs::Range;
  const Value start = require_scalar(node, node.input(Input::start), "start");
  const Value step = require_scalar(node, node.input(Input::delta), "delta");
  const Value limit = require_scalar(node, node.input(Input::limit), "limit");
  return {node.op(ops::Range, {start, limit, step}, {{"output_type", start.type()}})};
}

}  // namespace

std::vector<TranslatorRow> cumulative_translators() {
  return {
      {"CumSum", 11, cum_sum_11},
      {"CumProd", 26, cum_prod_26},
      {"Range", 11, range_11},
  };
}

}  // namespace onnx2ir::frontend
