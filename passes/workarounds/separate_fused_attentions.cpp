// Workarounds for wrong fusions of attention and of rotary embeddings. An opaque copy of a result separates
// the operation from those that read it.
#include <algorithm>
#include <vector>

#include "ir/size_rules.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/normalization.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

/// Fault::attention_output_rank: whether an attention is an output of the model, possibly after elementwise
/// operations.
bool is_attention_output(ir::MatMulView product) {
  if (!product.output(0).shape.is_static() || !product.a().node->is(ops::SoftMax)) return false;
  const std::vector<const ir::Node*> chain = chain_after(product);
  return is_read_by(product, {ops::Result}) || (!chain.empty() && is_read_by(*chain.back(), {ops::Result}));
}

/// Fault::attention_rank: elementwise operations after an attention that give the result more axes.
bool widens_attention(ir::MatMulView product) {
  const ir::PartialShape& shape = product.output(0).shape;
  if (!product.a().node->is(ops::SoftMax) || !shape.has_rank()) return false;
  return std::ranges::any_of(chain_after(product), [&](const ir::Node* reader) {
    const ir::PartialShape& result = reader->output(0).shape;
    return result.has_rank() && result.rank() > shape.rank();
  });
}

/// Fault::dynamic_attention_mask.
bool is_attention_with_dynamic_mask(ir::SoftMaxView softmax) {
  const ir::Node& sum = *softmax.data().node;
  const auto is_static = [](ir::Value operand) { return operand.shape().is_static(); };
  return sum.is_one_of(kSums) && std::ranges::any_of(sum.inputs(), is_static) &&
         !std::ranges::all_of(sum.inputs(), is_static) && is_read_by(softmax, {ops::MatMul});
}

/// Fault::dynamic_attention_values.
bool weighs_dynamic_values(const ir::Node& softmax) {
  return softmax.output(0).shape.is_static() &&
         std::ranges::any_of(softmax.output(0).uses, [](const ir::Use& use) {
           const auto product = ir::match<ir::MatMulView>(*use.node);
           return product && use.index == ir::MatMulView::Input::a && !product->b().shape().is_static();
         });
}

/// Fault::attention_broadcast: both operands of the next operation may have different sizes.
bool is_broadcast_attention(ir::MatMulView product) {
  if (!product.a().node->is(ops::SoftMax)) return false;
  const ir::Node* reader = only_reader(product);
  while (reader != nullptr && reader->inputs().size() == 1 && reader->op().traits.keeps_shape)
    reader = only_reader(*reader);
  if (reader == nullptr || !reader->op().traits.broadcasts || reader->inputs().size() != 2) return false;
  const ir::PartialShape& result = reader->output(0).shape;
  const ir::Value left = reader->input(0);
  const ir::Value right = reader->input(1);
  if (constant_operand(*reader) || !result.has_rank()) return false;
  if (left.shape().is_static() && right.shape().is_static()) return false;
  return left.shape().rank() != right.shape().rank() ||
         !ir::have_equal_sizes(left, 0, right, 0, result.rank());
}

/// Whether `result`, a sum, has more elements than `part` along an axis of which that has one.
bool has_more_rows(const ir::PartialShape& result, const ir::PartialShape& part) {
  if (!part.has_rank() || !result.has_rank() || part.rank() != result.rank()) return false;
  for (std::size_t axis = 0; axis < part.rank(); ++axis) {
    if (part[axis].max == 1 && result[axis] != part[axis]) return true;
  }
  return false;
}

/// Fault::rotary_shape: whether a rotary embedding of one sequence becomes one of several, or what looks like
/// one turns parts of different sizes.
bool is_rotated_half(const ir::Node& node) {
  const bool has_unequal_parts = node.inputs().size() == 2 && node.input(0).shape() != node.input(1).shape();
  const auto is_affected_sum = [&](const ir::Use& use) {
    return use.node->is(ops::Add) &&
           (has_unequal_parts || has_more_rows(use.node->output(0).shape, node.output(0).shape));
  };
  return std::ranges::any_of(node.output(0).uses, [&](const ir::Use& use) {
    return use.node->is(ops::Multiply) && std::ranges::any_of(use.node->output(0).uses, is_affected_sum);
  });
}

/// Whether neither factor of `product` has its shape.
bool broadcasts_both_factors(ir::Value product) {
  return product.node->is(ops::Multiply) &&
         std::ranges::none_of(product.node->inputs(),
                              [&](ir::Value factor) { return factor.shape() == product.shape(); });
}

/// Fault::rotary_shape: whether a Concat joins the difference of two products with a sum. The result would
/// have the shape of one factor.
bool is_turned_part(const ir::Node& difference) {
  return difference.output(0).shape.is_static() && is_read_by(difference, {ops::Concat}) &&
         std::ranges::any_of(difference.inputs(), broadcasts_both_factors);
}

}  // namespace

Workaround separate_fused_attentions() {
  return {
      .stage = Stage::kernels,
      .summary = "Keeps operations of attention apart that OpenVINO would fuse wrongly",
      .rows = {separating_row<is_broadcast_attention>(Fault::attention_broadcast, {ops::MatMul}),
               separating_row<is_attention_output>(Fault::attention_output_rank, {ops::MatMul}),
               separating_row<widens_attention>(Fault::attention_rank, {ops::MatMul}),
               separating_row<is_attention_with_dynamic_mask>(Fault::dynamic_attention_mask, {ops::SoftMax}),
               separating_row<weighs_dynamic_values>(Fault::dynamic_attention_values, {ops::SoftMax}),
               separating_row<is_rotated_half>(Fault::rotary_shape, {ops::Concat}),
               separating_row<is_turned_part>(Fault::rotary_shape, {ops::Subtract})}};
}

}  // namespace onnx2ir::passes
