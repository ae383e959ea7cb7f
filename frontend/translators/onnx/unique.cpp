// Unique: the distinct elements or slices, the index of their first occurrences, the inverse indices, and the
// counts.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"
#include "target/faults.hpp"

namespace onnx2ir::frontend {
namespace {

/// Reorders the four outputs of a sorted Unique to the order of first occurrence.
Values by_first_occurrence(NodeContext& node, const Values& sorted, std::int64_t axis) {
  const Value first = sorted[1];
  const Value count = reshape(node, shape_of(node, first), std::vector<std::int64_t>{});
  ir::Node& by_place = node.node(ops::TopK, {first, count},
                                 {{"axis", std::int64_t{0}},
                                  {"mode", std::string("min")},
                                  {"sort", std::string("value")},
                                  {"index_element_type", ElementType::i64},
                                  {"stable", true}},
                                 2);
  const Value order = by_place.value(1);
  const Value positions = numbers_below(node, count);
  const Value new_place = node.op(ops::ScatterElementsUpdate, {positions, order, positions, node.integer(0)},
                                  {{"reduction", "none"}, {"use_init_val", true}});
  return {gather(node, sorted[0], order, axis), gather(node, first, order),
          gather(node, new_place, sorted[2]), gather(node, sorted[3], order)};
}

Values unique(NodeContext& node, bool is_sorted) {
  const Value input = node.input(0);
  if (input.type() == ElementType::string) node.fail("OpenVINO's Unique takes no strings");
  Values inputs{input};
  std::int64_t axis = 0;
  if (node.has_attribute("axis")) {
    axis = node.axis(node.integer("axis"), node.rank(input));
    inputs.push_back(node.integer(axis));
  }
  const bool reorders = !is_sorted && node.target().has(Fault::unique_order);
  ir::Node& unique = node.node(ops::Unique, inputs,
                               std::vector<ir::Attribute>{{"sorted", is_sorted || reorders},
                                                          {"index_element_type", ElementType::i64},
                                                          {"count_element_type", ElementType::i64}},
                               4);
  Values outputs{unique.value(0), unique.value(1), unique.value(2), unique.value(3)};
  return reorders ? by_first_occurrence(node, outputs, axis) : outputs;
}

/// Unique 11.
Values unique_11(NodeContext& node) {
  return unique(node, node.integer("sorted", 1) != 0);
}

/// Unique of onnxruntime, in the order of first occurrence: elements, inverse indices, counts.
Values microsoft_unique(NodeContext& node) {
  const Values all = unique(node, false);
  return {all[0], all[2], all[3]};
}

}  // namespace

std::vector<TranslatorRow> unique_translators() {
  return {{"Unique", 11, unique_11, "strings"}, {"Unique", 1, microsoft_unique, {}, "com.microsoft"}};
}

}  // namespace onnx2ir::frontend
