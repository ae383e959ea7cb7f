#include "passes/stacked_values.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "ir/inference.hpp"

namespace onnx2ir::passes {
namespace {

/// Of more branches than these only the shape that they have in common is looked at.
constexpr std::size_t kMostShapes = 16;

/// Gives output `index` of `node` a first axis of dynamic size.
void add_axis(ir::Node& node, std::uint32_t index) {
  const ir::Output& output = node.output(index);
  ir::Dimensions shape{ir::Dimension()};
  for (const ir::Dimension& size : output.shape) shape.push_back(size);
  ir::set_output(node, index, output.type, ir::PartialShape(std::move(shape)));
}

}  // namespace

ir::Builder builder_beside(const ir::Node& node) {
  ir::Builder builder(node.graph());
  builder.set_name(node.name);
  return builder;
}

ir::Value stacked(ir::Builder& builder, ir::Value value, std::size_t copies, std::size_t rank) {
  // Tile adds the last of the axes itself.
  const std::size_t wanted = copies > 1 ? rank : rank + 1;
  for (std::size_t r = value.shape().rank(); r < wanted; ++r)
    value = builder.op(ops::Unsqueeze, {value, builder.integers({0})});
  if (copies == 1) return value;
  if (value.shape().element_count() == 0) {
    // Whatever the target: a Tile of a constant may end the process (Fault::empty_tile_folding).
    std::vector<std::int64_t> sizes = *value.shape().sizes();
    sizes.insert(sizes.begin(), static_cast<std::int64_t>(copies));
    return builder.constant(value.type(), sizes, ir::ConstantData());
  }
  std::vector<std::int64_t> repeats(rank + 1, 1);
  repeats[0] = static_cast<std::int64_t>(copies);
  return builder.op(ops::Tile, {value, builder.integers(repeats)});
}

ir::Value first_copy(ir::Builder& builder, ir::Value stack) {
  const ir::Node& node = *stack.node;
  const bool adds_axis = node.is(ops::Tile) && node.input(0).shape().has_rank() &&
                         node.input(0).shape().rank() < stack.shape().rank();
  if (adds_axis || (node.is(ops::Unsqueeze) && ir::known_scalar(node.input(1)) == 0)) return node.input(0);
  return builder.op(ops::Gather, {stack, builder.integer(0), builder.integer(0)}, {{"batch_dims", 0}});
}

ir::Value only_reader_of_first_copy(ir::Value stack) {
  const auto& uses = stack.node->output(stack.index).uses;
  if (uses.size() != 1) return {};
  ir::Node& reader = *uses[0].node;
  const bool takes_first = reader.is(ops::Gather) && uses[0].index == 0 &&
                           ir::known_scalar(reader.input(1)) == 0 && ir::known_scalar(reader.input(2)) == 0;
  return takes_first ? reader.value() : ir::Value{};
}

void read_first_copy(ir::Value stack) {
  ir::Output& output = stack.node->output(stack.index);
  const auto readers = output.uses;
  if (readers.empty()) return;
  ir::Builder builder = builder_beside(*stack.node);
  const ir::Value first =
      builder.op(ops::Gather, {stack, builder.integer(0), builder.integer(0)}, {{"batch_dims", 0}});
  for (const ir::Use& use : readers) use.node->set_input(use.index, first);
  auto& names = first.node->output(0).names;
  names.append(output.names.begin(), output.names.end());
  output.names.clear();
}

void stack_state(ir::Node& loop, const ir::Carried& carried, std::size_t copies) {
  ir::Builder outside = builder_beside(loop);
  const ir::Value initial = loop.input(carried.input);
  loop.set_input(carried.input, stacked(outside, initial, copies, initial.shape().rank()));
  add_axis(*carried.parameter, 0);
  read_first_copy(carried.parameter->value());
  if (carried.output) {
    add_axis(loop, *carried.output);
    read_first_copy(loop.value(*carried.output));
  }
  ir::infer(loop);
}

ir::Node* choice_behind(const ir::Node& result, std::size_t rank) {
  const ir::Value value = result.input(0);
  const ir::Output& output = value.node->output(value.index);
  const bool fits = value.node->branches() != nullptr && output.uses.size() == 1 && output.shape.has_rank() &&
                    output.shape.rank() == rank;
  return fits ? value.node : nullptr;
}

std::vector<ir::PartialShape> possible_shapes(const ir::Node& result) {
  std::vector<ir::PartialShape> shapes;
  std::vector<const ir::Node*> pending{&result};
  while (!pending.empty()) {
    const ir::Value value = pending.back()->input(0);
    pending.pop_back();
    const ir::IfBranches* branches = value.node->branches();
    if (branches != nullptr && shapes.size() + pending.size() < kMostShapes) {
      pending.push_back(branches->then_branch.results[value.index]);
      pending.push_back(branches->else_branch.results[value.index]);
    } else {
      shapes.push_back(value.shape());
    }
  }
  return shapes;
}

bool may_have_shape(const ir::Node& result, const ir::PartialShape& shape) {
  return std::ranges::any_of(possible_shapes(result), [&](const ir::PartialShape& possible) {
    return ir::intersect(possible, shape).has_value();
  });
}

}  // namespace onnx2ir::passes
