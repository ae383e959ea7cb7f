// Workaround for reshape_size_operand: OpenVINO moves arithmetic with a constant of one element before a
// Reshape, an Unsqueeze or the like, and makes the constant a scalar, also for its other readers: the shape
// of the Reshape, or a part of a Concat, becomes invalid. A scalar of its own for the arithmetic stays as it
// is.
#include <algorithm>
#include <cstddef>

#include "ir/constant_data.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `use` of a constant of one element is the same if the constant is a scalar: arithmetic with a
/// tensor that has as many axes.
bool can_be_scalar(const ir::Use& use, std::size_t rank) {
  if (!use.node->op().traits.is_arithmetic) return false;
  const ir::Value data = variable_operand(*use.node);
  return data && data.shape().has_rank() && data.shape().rank() >= rank;
}

/// Whether a reader of the constant needs its axes, or there are too many readers to know.
bool may_need_axes(ir::Value constant) {
  constexpr std::size_t kMostUses = 64;
  const auto& uses = constant.output().uses;
  const std::size_t rank = constant.shape().rank();
  return uses.size() > kMostUses ||
         std::ranges::any_of(uses, [&](const ir::Use& use) { return !can_be_scalar(use, rank); });
}

/// Whether the constant `input` of `node` is shared with readers that need its axes, and OpenVINO may move
/// `node` up: other elementwise operations, and operations that move elements, are passed.
bool is_shared_operand(const ir::Node& node, ir::Value input) {
  constexpr int kMostNodes = 16;
  if (input.node->constant() == nullptr || input.shape().rank() == 0 || input.shape().element_count() != 1)
    return false;
  const std::size_t rank = input.shape().rank();
  const ir::Value data = variable_operand(node);
  if (!data || !data.shape().has_rank() || data.shape().rank() < rank) return false;
  const auto is_left = [](const ir::Node& at) { return moves_elements(at); };
  const auto source = [](const ir::Node& at) {
    return is_elementwise(at) ? variable_operand(at) : ir::Value{};
  };
  return find_before(*data.node, is_left, source, kMostNodes) != nullptr && may_need_axes(input);
}

bool is_affected(const ir::Node& node) {
  return std::ranges::any_of(node.inputs(), [&](ir::Value input) { return is_shared_operand(node, input); });
}

void use_scalar(ir::Builder& builder, ir::Node& node) {
  for (std::size_t index = 0; index < node.inputs().size(); ++index) {
    const ir::Value input = node.input(index);
    if (is_shared_operand(node, input))
      node.set_input(index, builder.constant(input.type(), {}, *input.node->constant()));
  }
}

}  // namespace

Workaround separate_reshape_sizes() {
  return {.stage = Stage::kernels,
          .summary =
              "Gives arithmetic after a Reshape or the like a scalar of its own if others read its constant",
          .rows = {row<is_affected, use_scalar>(
              Fault::reshape_size_operand,
              operations_with([](const ir::Traits& traits) { return traits.is_arithmetic; }))}};
}

}  // namespace onnx2ir::passes
