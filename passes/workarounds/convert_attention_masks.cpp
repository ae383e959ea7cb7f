// Workaround for boolean_attention_mask: converts the boolean mask of ScaledDotProductAttention to numbers
// that are added to the scores: 0 for true, and for false a number that makes the weight 0.
#include "ir/views/attention.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Finite, so that Softmax of a fully masked row is not NaN: the result of such a row is the mean of all
/// values.
double hidden(ir::ElementType type) {
  return type == ir::ElementType::f16 ? -60000 : -1e30;
}

bool is_affected(ir::ScaledDotProductAttentionView attention) {
  return attention.mask() && attention.mask().type() == ir::ElementType::boolean;
}

ir::Value convert_mask(ir::Builder& builder, ir::ScaledDotProductAttentionView attention) {
  const ir::ElementType type = attention.query().type();
  const ir::Value mask = builder.op(
      ops::Select, {attention.mask(), builder.number(0, type), builder.number(hidden(type), type)});
  return ir::clone_with_input(builder, attention, ir::ScaledDotProductAttentionView::Input::mask, mask);
}

}  // namespace

Workaround convert_attention_masks() {
  return {.stage = Stage::kernels,
          .summary = "Converts boolean masks of ScaledDotProductAttention to numbers",
          .rows = {row<is_affected, convert_mask>(Fault::boolean_attention_mask,
                                                  {ops::ScaledDotProductAttention})}};
}

}  // namespace onnx2ir::passes
