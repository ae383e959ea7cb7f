// Workaround for reshape_size_operand: OpenVINO moves arithmetic with a constant before a Reshape and makes
// the constant a scalar. If it is the shape of the Reshape, too, that becomes invalid. A scalar of its own
// for the arithmetic stays as it is.
#include <algorithm>
#include <cstddef>

#include "ir/constant_data.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the constant `input` of `node` is also the shape of a Reshape from which OpenVINO may move `node`
/// up: other elementwise operations, and operations that move elements, are passed.
bool is_size_before(const ir::Node& node, ir::Value input) {
  constexpr int kMostNodes = 16;
  const ir::Value data = variable_operand(node);
  if (!data || input.node->constant() == nullptr || input.shape().element_count() != 1) return false;
  const auto is_reshape_to_it = [&](const ir::Node& at) {
    const auto reshape = ir::match<ir::ReshapeView>(at);
    return reshape && reshape->shape() == input;
  };
  const auto source = [](const ir::Node& at) {
    if (moves_elements(at)) return at.input(0);
    return is_elementwise(at) ? variable_operand(at) : ir::Value{};
  };
  return find_before(*data.node, is_reshape_to_it, source, kMostNodes) != nullptr;
}

bool is_affected(const ir::Node& node) {
  if (!node.graph().may_hold({ops::Reshape})) return false;
  const ir::Value data = variable_operand(node);
  const bool may_lose_axis = !data || !data.shape().has_rank() || data.shape().rank() == 0;
  return !may_lose_axis &&
         std::ranges::any_of(node.inputs(), [&](ir::Value input) { return is_size_before(node, input); });
}

void use_scalar(ir::Builder& builder, ir::Node& node) {
  for (std::size_t index = 0; index < node.inputs().size(); ++index) {
    const ir::Value input = node.input(index);
    if (is_size_before(node, input))
      node.set_input(index, builder.constant(input.type(), {}, *input.node->constant()));
  }
}

}  // namespace

Workaround separate_reshape_sizes() {
  return {.stage = Stage::kernels,
          .summary = "Gives arithmetic a scalar of its own if its constant is also the shape of a Reshape",
          .rows = {row<is_affected, use_scalar>(
              Fault::reshape_size_operand,
              operations_with([](const ir::Traits& traits) { return traits.is_arithmetic; }))}};
}

}  // namespace onnx2ir::passes
