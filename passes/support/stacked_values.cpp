#include "passes/support/stacked_values.hpp"

#include <algorithm>
#include <vector>

#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"

namespace onnx2ir::passes {
namespace {

/// The node makes a stack, or takes its first copy.
ir::Value mark_stacked(ir::Value value) {
  value.node->notes.add(ir::Note::stacked);
  return value;
}

/// Whether `tile` adds an axis of copies.
bool adds_copies(ir::TileView tile) {
  const ir::PartialShape& shape = tile.output(0).shape;
  const auto repeats = ir::exact_values(tile.repeats());
  return repeats && shape.has_rank() && tile.data().shape().has_rank() && shape.rank() == repeats->size() &&
         tile.data().shape().rank() < shape.rank() &&
         std::all_of(repeats->begin() + 1, repeats->end(), [](std::int64_t count) { return count == 1; });
}

/// Whether a Reshape of `data` changes no size: hide_initial_shapes emits such ones. They have equal
/// expressions also where a size has become dynamic.
bool keeps_sizes(ir::Value reshaped, ir::Value data) {
  const ir::PartialShape& shape = data.shape();
  if (!shape.has_rank() || !reshaped.shape().has_rank(shape.rank())) return false;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (!ir::have_equal_sizes(reshaped, axis, data, axis)) return false;
  }
  return true;
}

/// Whether stack_copies() has made `value`, in each branch if an If gives it. Adds the nodes that copy to
/// `copying`. `remaining` limits the number of values that are visited.
bool is_stack(ir::Value value, std::vector<ir::Node*>& copying, int& remaining) {
  if (--remaining < 0) return false;
  if (const auto unsqueeze = ir::match<ir::UnsqueezeView>(value))
    return ir::known_scalar(unsqueeze->axes()) == 0;
  if (value.node->constant() != nullptr) return value.shape().element_count() == 0;
  if (const auto tile = ir::match<ir::TileView>(value)) {
    copying.push_back(value.node);
    return adds_copies(*tile);
  }
  if (const auto reshape = ir::match<ir::ReshapeView>(value))
    return keeps_sizes(value, reshape->data()) && is_stack(reshape->data(), copying, remaining);
  if (value.node->branches() == nullptr) return false;
  return std::ranges::all_of(ir::IfView(*value.node).results(value.index), [&](const ir::Node* result) {
    return is_stack(result->input(0), copying, remaining);
  });
}

}  // namespace

void declare_first_axis(ir::Value value, ir::Dimension size) {
  const ir::Output& output = value.output();
  ir::Dimensions shape{size};
  for (const ir::Dimension& other : output.shape) shape.push_back(other);
  ir::declare_output(*value.node, value.index, output.type, ir::PartialShape(std::move(shape)));
}

bool is_of_stack(const ir::Node& node) {
  return node.notes.contains(ir::Note::stacked);
}

ir::Value stack_copies(ir::Builder& builder, ir::Value value, std::size_t copies, std::size_t rank) {
  // Tile adds the last axis itself.
  const std::size_t target_rank = copies > 1 ? rank : rank + 1;
  for (std::size_t r = value.shape().rank(); r < target_rank; ++r)
    value = mark_stacked(ir::unsqueeze(builder, value, {0}));
  if (copies == 1) return value;
  if (value.shape().element_count() == 0) {
    // Emitted for all targets: a Tile of a constant may end the process (Fault::empty_tile_folding).
    ir::Integers sizes = *value.shape().sizes();
    sizes.insert(sizes.begin(), static_cast<std::int64_t>(copies));
    return builder.constant(value.type(), sizes, ir::ConstantData());
  }
  std::vector<std::int64_t> repeats(rank + 1, 1);
  repeats[0] = static_cast<std::int64_t>(copies);
  return mark_stacked(builder.op(ops::Tile, {value, builder.integers(repeats)}));
}

ir::Value take_first_copy(ir::Builder& builder, ir::Value stack) {
  const ir::Node& node = *stack.node;
  if (const auto tile = ir::match<ir::TileView>(node);
      tile && tile->data().shape().has_rank() && tile->data().shape().rank() < stack.shape().rank())
    return tile->data();
  if (const auto unsqueeze = ir::match<ir::UnsqueezeView>(node);
      unsqueeze && ir::known_scalar(unsqueeze->axes()) == 0)
    return unsqueeze->data();
  return ir::gather(builder, stack, builder.integer(0));
}

ir::Value only_first_copy(ir::Value stack) {
  const auto& uses = stack.output().uses;
  if (uses.size() != 1) return {};
  const auto gather = ir::match<ir::GatherView>(*uses[0].node);
  // A list of one index keeps the axis.
  const bool takes_first = gather && uses[0].index == ir::GatherView::Input::data &&
                           gather->indices().shape().is_scalar() &&
                           ir::known_scalar(gather->indices()) == 0 && ir::known_scalar(gather->axis()) == 0;
  return takes_first ? uses[0].node->value() : ir::Value{};
}

void read_first_copy(ir::Value stack) {
  if (stack.output().uses.empty()) return;
  ir::Builder builder = ir::builder_beside(*stack.node);
  const ir::Value first = mark_stacked(ir::gather(builder, stack, builder.integer(0)));
  ir::replace_uses_except(stack, first, *first.node);
}

void stack_state(ir::LoopView loop, const ir::Carried& carried, std::size_t copies) {
  ir::Builder outside = ir::builder_beside(loop.node());
  const ir::Value initial = loop.outer(carried);
  loop.set_outer(carried, stack_copies(outside, initial, copies, initial.shape().rank()));
  for (const ir::Value value : {carried.parameter->value(), loop.output(carried)}) {
    if (!value) continue;
    declare_first_axis(value, ir::Dimension());
    read_first_copy(value);
  }
}

void mark_if_stacked(ir::LoopView loop, const ir::Carried& carried) {
  constexpr int kMostValues = 64;  // hostile models must not take quadratic time
  const ir::Value read = only_first_copy(carried.parameter->value());
  std::vector<ir::Node*> nodes;
  int remaining = kMostValues;
  if (!read || !is_stack(loop.outer(carried), nodes, remaining) ||
      !is_stack(carried.result->input(0), nodes, remaining))
    return;
  nodes.push_back(read.node);
  const ir::Value output = loop.output(carried);
  if (const ir::Value final = output ? only_first_copy(output) : ir::Value()) nodes.push_back(final.node);
  for (ir::Node* node : nodes) node->notes.add(ir::Note::stacked);
}

}  // namespace onnx2ir::passes
