// Workaround for boolean_attention_mask: converts the boolean mask of ScaledDotProductAttention to numbers
// that are added to the scores: 0 for true, and for false a number that makes the weight 0.
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::size_t kMask = 3;

/// Finite, so that Softmax of a fully masked row is not NaN: the result of such a row is the mean of all
/// values.
double hidden(ir::ElementType type) {
  return type == ir::ElementType::f16 ? -60000 : -1e30;
}

bool is_affected(const ir::Node& node) {
  return node.inputs().size() > kMask && node.input(kMask).type() == ir::ElementType::boolean;
}

ir::Value convert_mask(ir::Builder& builder, const ir::Node& node) {
  const ir::ElementType type = node.input(0).type();
  const ir::Value mask = builder.op(
      ops::Select, {node.input(kMask), builder.number(0, type), builder.number(hidden(type), type)});
  std::vector<ir::Value> inputs(node.inputs().begin(), node.inputs().end());
  inputs[kMask] = mask;
  return builder.node(node.op().id, inputs, node.attributes()).value();
}

}  // namespace

Workaround convert_attention_masks() {
  return {.name = "convert_attention_masks",
          .stage = Stage::kernels,
          .summary = "Converts boolean masks of ScaledDotProductAttention to numbers",
          .rows = {LegalizationRow{Fault::boolean_attention_mask,
                                   {ops::ScaledDotProductAttention},
                                   is_affected,
                                   replace<convert_mask>}}};
}

}  // namespace onnx2ir::passes
