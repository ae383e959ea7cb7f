// Unique: the distinct elements or slices, the index of their first occurrences, the inverse indices, and the
// counts.
#include "frontend/translators/domains.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

Values unique(NodeContext& node, bool is_sorted) {
  const Value input = node.input(0);
  if (input.type() == ElementType::string) node.fail("OpenVINO's Unique takes no strings");
  Values inputs{input};
  if (node.has_attribute("axis")) {
    inputs.push_back(node.integer(node.axis(node.integer_attribute("axis"), node.rank(input))));
  }
  ir::Node& unique = node.node(ops::Unique, inputs,
                               std::vector<ir::Attribute>{{"sorted", is_sorted},
                                                          {"index_element_type", ElementType::i64},
                                                          {"count_element_type", ElementType::i64}},
                               4);
  return outputs_of(unique);
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

std::vector<TranslatorRow> unique_translators() {
  return {
      {"Unique", 11, unique_11, "strings"},
      {"Unique", 1, microsoft_unique, {}, {}, kMicrosoft},
  };
}

}  // namespace onnx2ir::frontend
