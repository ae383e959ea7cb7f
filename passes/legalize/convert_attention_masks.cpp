// Workaround for boolean_attention_mask: converts the boolean mask of ScaledDotProductAttention to numbers
// that are added to the scores: 0 for true, and for false a number that makes the weight 0.
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::size_t kMask = 3;

/// Finite, so that Softmax of a fully masked row is not NaN: the result of such a row is the mean of all
/// values.
double hidden(ir::ElementType type) {
  return type == ir::ElementType::f16 ? -60000 : -1e30;
}

ir::Value convert_mask(ir::Builder& builder, ir::Node& node) {
  if (node.inputs().size() <= kMask || node.input(kMask).type() != ir::ElementType::boolean) return {};
  const ir::ElementType type = node.input(0).type();
  const ir::Value mask = builder.op(
      ops::Select, {node.input(kMask), builder.number(0, type), builder.number(hidden(type), type)});
  std::vector<ir::Value> inputs(node.inputs().begin(), node.inputs().end());
  inputs[kMask] = mask;
  return builder.node(node.op().id, inputs, node.attributes()).value();
}

}  // namespace

bool convert_attention_masks(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::ScaledDotProductAttention}, convert_mask);
}

}  // namespace onnx2ir::passes
