#include "passes/analysis/fused_chain.hpp"

#include <algorithm>

#include "ir/known_values.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/operation_groups.hpp"
#include "passes/analysis/uses.hpp"

namespace onnx2ir::passes {
namespace {

constexpr int kMostFused = 32;

}  // namespace

bool is_elementwise(const ir::Node& node) {
  const ir::Traits& traits = node.op().traits;
  return (traits.broadcasts || traits.keeps_shape) && !traits.is_kept;
}

bool moves_elements(const ir::Node& node) {
  const ir::Traits& traits = node.op().traits;
  return traits.reshapes || traits.rearranges ||
         node.is_one_of({ops::Concat, ops::Gather, ops::Interpolate, ops::MaxPool, ops::Pad, ops::Slice,
                         ops::Split, ops::VariadicSplit});
}

ir::Node* fused_reader(const ir::Node& node) {
  ir::Node* reader = only_reader(node);
  while (reader != nullptr && (reader->op().traits.reshapes || reader->op().traits.rearranges))
    reader = only_reader(*reader);
  return reader != nullptr && is_elementwise(*reader) ? reader : nullptr;
}

std::vector<const ir::Node*> chain_after(const ir::Node& node) {
  std::vector<const ir::Node*> chain;
  const ir::Node* reader = only_reader(node);
  while (reader != nullptr && is_elementwise(*reader) && chain.size() < kMostFused) {
    chain.push_back(reader);
    reader = only_reader(*reader);
  }
  return chain;
}

ir::Value constant_operand(const ir::Node& node) {
  const auto found = std::ranges::find(node.inputs(), true, ir::is_computed_from_constants);
  return found == node.inputs().end() ? ir::Value{} : *found;
}

ir::Value variable_operand(const ir::Node& node) {
  const auto found = std::ranges::find(node.inputs(), false, ir::is_computed_from_constants);
  return found == node.inputs().end() ? ir::Value{} : *found;
}

std::vector<const ir::Node*> readers_past_moves(const ir::Node& node) {
  constexpr std::size_t kMostReaders = 64;
  std::vector<const ir::Node*> readers;
  any_after(node, kMostReaders + 1, [&](const ir::Use& use) {
    if (readers.size() == kMostReaders) return Search::found;
    readers.push_back(use.node);
    return is_elementwise(*use.node) || moves_elements(*use.node) ? Search::follow : Search::skip;
  });
  return readers;
}

std::vector<std::size_t> axes_of(const ir::Value& constant, std::size_t rank) {
  std::vector<std::size_t> axes;
  const ir::PartialShape& shape = constant.shape();
  if (!shape.has_rank() || shape.rank() > rank) return axes;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != ir::Dimension(1)) axes.push_back(axis + rank - shape.rank());
  }
  return axes;
}

std::vector<std::size_t> scaled_axes(const ir::Node& node) {
  const ir::PartialShape& shape = node.output(0).shape;
  std::vector<std::size_t> axes;
  if (!shape.has_rank()) return axes;
  if (node.is(ops::FakeQuantize)) {
    for (std::size_t input = 1; input < node.inputs().size() && axes.empty(); ++input)
      axes = axes_of(node.input(input), shape.rank());
  } else if (node.op().traits.is_arithmetic) {
    if (const ir::Value scale = constant_operand(node)) axes = axes_of(scale, shape.rank());
  }
  return axes;
}

std::vector<const ir::Node*> chain_until_conversion(const ir::Node& node) {
  std::vector<const ir::Node*> chain = chain_after(node);
  chain.erase(std::ranges::find_if(chain, [](const ir::Node* reader) { return reader->is(ops::Convert); }),
              chain.end());
  return chain;
}

ir::Value scaled_operand(const ir::Node& node) {
  const bool is_scaling = node.is_one_of(kFactors) && constant_operand(node);
  return is_scaling ? variable_operand(node) : ir::Value{};
}

std::optional<bool> negates(const ir::Node& node) {
  if (node.is(ops::Negative)) return true;
  const bool is_scaling = node.is_one_of(kFactors) && constant_operand(node);
  if (!is_scaling) return false;
  const auto factors = ir::exact_numbers(constant_operand(node));
  if (!factors) return std::nullopt;
  return std::ranges::any_of(*factors, [](double number) { return number < 0; });
}

bool may_change_signs(const ir::Node& node) {
  if (node.is(ops::Subtract)) return ir::is_computed_from_constants(node.input(0));
  return negates(node).value_or(true);
}

}  // namespace onnx2ir::passes
