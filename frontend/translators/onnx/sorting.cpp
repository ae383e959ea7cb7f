// Operators that order or compare the elements of a tensor: TopK, ArgMax, ArgMin, Unique.
#include "frontend/translators/domains.hpp"
#include "frontend/translators/families.hpp"
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
  return top_k(node, x, k, axis, node.flag_attribute("largest", true) ? "max" : "min").values();
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

/// The distinct elements or slices, the index of their first occurrences, the inverse indices, and the
/// counts.
Values unique(NodeContext& node, bool is_sorted) {
  const Value input = node.input(0);
  if (input.type() == ElementType::string) node.fail("OpenVINO's Unique takes no strings");
  Values inputs{input};
  if (node.has_attribute("axis")) {
    inputs.push_back(node.integer(node.axis(node.integer_attribute("axis"), node.rank(input))));
  }
  ir::Node& distinct = node.node(ops::Unique, inputs,
                                 {{"sorted", is_sorted},
                                  {"index_element_type", ElementType::i64},
                                  {"count_element_type", ElementType::i64}});
  return distinct.values();
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

std::vector<TranslatorRow> sorting_translators() {
  return {
      {"TopK", 1, top_k_1},
      {"ArgMax", 1, arg_extremum},
      {"ArgMin", 1, arg_extremum},
      {"Unique", 11, unique_11, "strings"},
      {"Unique", 1, microsoft_unique, {}, {}, kMicrosoft},
  };
}

}  // namespace onnx2ir::frontend
