// TopK, ArgMax and ArgMin, cumulative sums and products, ranges, distinct elements.
#include "frontend/translators/domains.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// TopK 1 (k as an attribute), 10 (as an input), 11 (largest, sorted), 24: of equal elements the one with the
/// lower index comes first. The result is always sorted, which is valid without `sorted`, too.
Values top_k_1(NodeContext& node) {
  const Value x = node.input(0);
  const std::int64_t axis = node.axis(node.integer_attribute("axis", -1), node.rank(x));
  const Value k = node.has_input(1) ? require_scalar(node, node.input(1), "k")
                                    : node.integer(node.integer_attribute("k"));
  return outputs_of(top_k(node, x, k, axis, node.flag_attribute("largest", true) ? "max" : "min"));
}

/// Whether no axis but `axis` is known to be empty.
bool may_have_results(const PartialShape& shape, std::int64_t axis) {
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (static_cast<std::int64_t>(i) != axis && shape[i] == ir::Dimension(0)) return false;
  }
  return true;
}

/// ArgMax, ArgMin 1, 11, 12, 13; from 12 on with `select_last_index`.
Values arg_extremum(NodeContext& node) {
  const Value x = node.input(0);
  const std::int64_t axis = node.axis(node.integer_attribute("axis", 0), node.rank(x));
  // A result without elements needs no index. A dynamic size of 0 is an error in onnxruntime as well.
  if (x.shape()[static_cast<std::size_t>(axis)] == ir::Dimension(0) && may_have_results(x.shape(), axis)) {
    node.fail("axis " + std::to_string(axis) + " of the input has no elements");
  }
  const bool last = node.flag_attribute("select_last_index");
  const Value searched = last ? reverse(node, x, axis) : x;
  Value index =
      top_k(node, searched, node.integer(1), axis, node.op_type() == "ArgMax" ? "max" : "min").value(1);
  if (last) {
    const Value highest = node.op(ops::Subtract, {size_of(node, x, axis), node.integer(1)});
    index = node.op(ops::Subtract, {highest, index});
  }
  if (node.flag_attribute("keepdims", true)) return {index};
  return {squeeze(node, index, {axis})};
}

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
  const auto known_axis = node.known_integers(axis);
  if (known_axis) return {cumulative_product(node, x, node.axis(known_axis->front(), rank))};
  if (rank == 1) return {cumulative_product(node, x, 0)};
  const Value axes = emit_axes_between(node, 0, rank);
  const Value place = node.op(ops::FloorMod, {convert(node, axis, ElementType::i64), node.integer(rank)});
  const Value keys = node.op(ops::Select, {node.op(ops::Equal, {axes, place}), node.integer(rank), axes});
  const Value order = sort_ascending(node, keys, rank);
  const Value products = cumulative_product(node, node.op(ops::Transpose, {x, order}), rank - 1);
  const Value restored = node.op(ops::Transpose, {products, sort_ascending(node, order, rank)});
  return {restored};
}

/// Range 11, 27.
Values range_11(NodeContext& node) {
  using Input = inputs::Range;
  const Value start = require_scalar(node, node.input(Input::start), "start");
  const Value step = require_scalar(node, node.input(Input::delta), "delta");
  const Value limit = require_scalar(node, node.input(Input::limit), "limit");
  return {node.op(ops::Range, {start, limit, step}, {{"output_type", start.type()}})};
}

/// The distinct elements or slices, the index of their first occurrences, the inverse indices, and the
/// counts.
Values unique(NodeContext& node, bool is_sorted) {
  const Value input = node.input(0);
  if (input.type() == ElementType::string) node.fail("OpenVINO's Unique takes no strings");
  Values inputs{input};
  if (node.has_attribute("axis")) {
    inputs.push_back(node.integer(node.axis(node.integer_attribute("axis"), node.rank(input))));
  }
  return outputs_of(node.node(ops::Unique, inputs,
                              {{"sorted", is_sorted},
                               {"index_element_type", ElementType::i64},
                               {"count_element_type", ElementType::i64}}));
}

/// Unique 11.
Values unique_11(NodeContext& node) {
  return unique(node, node.flag_attribute("sorted", true));
}

/// Unique of onnxruntime, in the order of first occurrence: elements, inverse indices, counts.
Values microsoft_unique(NodeContext& node) {
  const Values all = unique(node, false);
  return {all[0], all[2], all[3]};
}

}  // namespace

std::vector<TranslatorRow> search_translators() {
  return {
      {"TopK", 1, top_k_1},
      {"ArgMax", 1, arg_extremum},
      {"ArgMin", 1, arg_extremum},
      {"CumSum", 11, cum_sum_11},
      {"CumProd", 26, cum_prod_26},
      {"Range", 11, range_11},
      {"Unique", 11, unique_11, "strings"},
      {"Unique", 1, microsoft_unique, {}, {}, kMicrosoft},
  };
}

}  // namespace onnx2ir::frontend
