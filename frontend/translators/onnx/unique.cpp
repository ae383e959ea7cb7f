// Unique: the distinct elements or slices, where each first occurs, which one each is, how many there are.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The four outputs sorted by first occurrence: the runtime sorts only by value.
Values by_first_occurrence(NodeContext& node, const Values& sorted, std::int64_t axis) {
  const Value first = sorted[1];
  const Value count = reshape(node, shape_of(node, first), std::vector<std::int64_t>{});
  ir::Node& by_place = node.node("TopK", {first, count},
                                 {{"axis", std::int64_t{0}},
                                  {"mode", std::string("min")},
                                  {"sort", std::string("value")},
                                  {"index_element_type", ElementType::i64},
                                  {"stable", true}},
                                 2);
  const Value order = by_place.value(1);
  const Value positions =
      node.op("Range", {node.integer(0), count, node.integer(1)}, {{"output_type", ElementType::i64}});
  const Value new_place = node.op("ScatterElementsUpdate", {positions, order, positions, node.integer(0)},
                                  {{"reduction", "none"}, {"use_init_val", true}});
  return {gather(node, sorted[0], order, axis), gather(node, first, order),
          gather(node, new_place, sorted[2]), gather(node, sorted[3], order)};
}

/// Unique 11.
Values unique_11(NodeContext& node) {
  const Value input = node.input(0);
  // The runtime finds unique values of few types; f32 and i32 hold those of all others that it computes with.
  const ElementType type = input.type();
  const bool as_float = ir::is_floating(type);
  if (type == ElementType::string) node.fail("unique strings cannot be found by the runtime");
  Values inputs{convert(node, input, as_float ? ElementType::f32 : ElementType::i32)};
  std::int64_t axis = 0;
  if (node.has_attribute("axis")) {
    axis = node.axis(node.integer("axis"), node.rank(input));
    inputs.push_back(node.integer(axis));
  }
  ir::Node& unique = node.node("Unique", inputs,
                               std::vector<ir::Attribute>{{"sorted", true},
                                                          {"index_element_type", ElementType::i64},
                                                          {"count_element_type", ElementType::i64}},
                               4);
  Values outputs{unique.value(0), unique.value(1), unique.value(2), unique.value(3)};
  if (node.integer("sorted", 1) == 0) outputs = by_first_occurrence(node, outputs, axis);
  outputs[0] = convert(node, outputs[0], type);
  return outputs;
}

}  // namespace

std::vector<TranslatorRow> unique_translators() {
  return {{"Unique", 11, unique_11, "strings"}};
}

}  // namespace onnx2ir::frontend
