// Workarounds for Unique. If the order of first occurrence is requested, it sorts instead, and its outputs
// are reordered afterwards. Slices are compared along the first axis only: another axis is transposed to the
// front.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "ir/inference.hpp"
#include "ir/views/indexing.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

/// The axis of a Unique of slices; no value for one of elements.
std::optional<std::int64_t> axis_of(ir::UniqueView unique) {
  const auto axis = unique.axis() ? ir::exact_values(unique.axis()) : std::nullopt;
  return axis ? std::optional(axis->front()) : std::nullopt;
}

/// Fault::unique_slices. Slices are compared wrongly along other axes than the first one, and bytes always.
bool misjudges_slices(ir::UniqueView unique) {
  const auto axis = axis_of(unique);
  const ir::PartialShape& shape = unique.data().shape();
  if (!axis || !shape.has_rank()) return false;
  return unique.data().type() == ir::ElementType::i8 || ir::normalize_axis(*axis, shape.rank()) != 0;
}

/// Transposes the axis to the front, and computes with i32 instead of i8.
void compare_along_first_axis(ir::Builder& builder, ir::Node& node) {
  const ir::UniqueView unique = node;
  const ir::ElementType type = unique.data().type();
  const std::size_t rank = unique.data().shape().rank();
  const std::size_t axis = ir::normalize_axis(*axis_of(unique), rank);
  // The other axes keep their order, by which slices are sorted.
  std::vector<std::int64_t> to_front = all_axes(rank);
  std::vector<std::int64_t> back = to_front;
  const auto end = static_cast<std::ptrdiff_t>(axis) + 1;
  std::rotate(to_front.begin(), to_front.begin() + end - 1, to_front.begin() + end);
  std::rotate(back.begin(), back.begin() + 1, back.begin() + end);
  const auto transpose = [&](Value value, const std::vector<std::int64_t>& order) {
    return axis == 0 ? value : ir::transpose(builder, value, order);
  };
  Value data = transpose(unique.data(), to_front);
  if (type == ir::ElementType::i8) data = ir::convert(builder, data, ir::ElementType::i32);
  ir::Node& found = builder.clone(node, std::array{data, builder.integer(0)});
  Value elements = found.value(0);
  if (type == ir::ElementType::i8) elements = ir::convert(builder, elements, type);
  ir::replace_all_uses(node.value(0), transpose(elements, back));
  for (std::size_t i = 1; i < node.outputs().size(); ++i) ir::replace_all_uses(node.value(i), found.value(i));
}

bool keeps_order(ir::UniqueView unique) {
  return !unique.sorted();
}

void sort_and_reorder(ir::Builder& builder, ir::Node& node) {
  ir::Node& sorted = builder.clone(node, node.inputs());
  sorted.set_attribute({"sorted", true});
  const std::int64_t axis = axis_of(node).value_or(0);
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
  const Value positions = ir::emit_range(builder, count);
  const Value new_place =
      builder.op(ops::ScatterElementsUpdate, {positions, order, positions, builder.integer(0)},
                 {{"reduction", "none"}, {"use_init_val", true}});
  const Value elements = ir::gather(builder, sorted.value(0), order, axis);
  const Value occurrences = ir::gather(builder, first, order);
  const Value inverse = ir::gather(builder, new_place, sorted.value(2));
  const std::array outputs = {elements, occurrences, ir::convert(builder, inverse, sorted.output(2).type),
                              ir::gather(builder, sorted.value(3), order)};
  ir::replace_all_uses(node, outputs);
}

}  // namespace

Workaround sort_unique_elements() {
  return {
      .summary =
          "Sorts in a Unique that keeps the order of first occurrence, and compares along the first axis",
      .stages = {{Stage::imported,
                  {row<keeps_order, sort_and_reorder>(Fault::unique_order, {ops::Unique}),
                   row<misjudges_slices, compare_along_first_axis>(Fault::unique_slices, {ops::Unique})}}}};
}

}  // namespace onnx2ir::passes
