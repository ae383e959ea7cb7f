// Workaround for unique_order: Unique in the order of first occurrence sorts, and its outputs are reordered.
#include <array>
#include <vector>

#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"
#include "ir/views/indexing.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

bool keeps_order(ir::UniqueView unique) {
  return !unique.sorted();
}

void sort_and_reorder(ir::Builder& builder, ir::Node& node) {
  ir::Node& sorted = builder.clone(node, node.inputs());
  sorted.set_attribute({"sorted", true});
  const ir::Value its_axis = ir::UniqueView(node).axis();
  const auto given = its_axis ? ir::exact_values(its_axis) : std::nullopt;
  const std::int64_t axis = given ? given->front() : 0;
  const Value first = sorted.value(1);
  const Value count = ir::reshape(builder, ir::shape_of(builder, first), std::vector<std::int64_t>{});
  const Value order = builder
                          .node(ops::TopK, {first, count},
                                {{"axis", std::int64_t{0}},
                                 {"mode", "min"},
                                 {"sort", "value"},
                                 {"index_element_type", ir::ElementType::i64},
                                 {"stable", true}},
                                2)
                          .value(1);
  const Value positions = ir::numbers_below(builder, count);
  const Value new_place =
      builder.op(ops::ScatterElementsUpdate, {positions, order, positions, builder.integer(0)},
                 {{"reduction", "none"}, {"use_init_val", true}});
  const Value elements = ir::gather(builder, sorted.value(0), order, axis);
  const Value occurrences = ir::gather(builder, first, order);
  const Value inverse = ir::gather(builder, new_place, sorted.value(2));
  const std::array outputs = {elements, occurrences, ir::convert(builder, inverse, sorted.output(2).type),
                              ir::gather(builder, sorted.value(3), order)};
  for (std::size_t i = 0; i < outputs.size(); ++i) ir::replace_all_uses(node.value(i), outputs[i]);
}

}  // namespace

Workaround sort_unique_elements() {
  return {
      .name = "sort_unique_elements",
      .stage = Stage::imported,
      .summary = "Sorts in a Unique that keeps the order of first occurrence, and reorders its outputs",
      .rows = {LegalizationRow{Fault::unique_order, {ops::Unique}, affects<keeps_order>, sort_and_reorder}}};
}

}  // namespace onnx2ir::passes
