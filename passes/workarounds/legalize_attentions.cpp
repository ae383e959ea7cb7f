// Workarounds for attentions: operands that the CPU plugin misreads or rounds, and wrong fusions of attention
// and of rotary embeddings. An opaque copy of a result separates the operation from those that read it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ir/size_rules.hpp"
#include "ir/views/attention.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/normalization.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

/// Fault::attention_scale_rounding. The query is multiplied by the scale, and the scale becomes 1.
bool scales_constant_key(ir::ScaledDotProductAttentionView attention) {
  const Value query = attention.query();
  if (!ir::is_floating(query.type()) || ir::info(query.type()).bits != 16 || !query.shape().has_rank())
    return false;
  if (!ir::is_computed_from_constants(attention.key())) return false;
  return !attention.scale() || ir::exact_number(attention.scale()) != 1.0;
}

/// The query, multiplied by the scale: by default 1 / sqrt(h), whose h may be dynamic.
Value scale_query(ir::Builder& builder, ir::ScaledDotProductAttentionView attention) {
  const Value query = attention.query();
  if (attention.scale()) return builder.op(ops::Multiply, {query, attention.scale()});
  const std::size_t last = query.shape().rank() - 1;
  const ir::Dimension size = query.shape()[last];
  if (size.is_static()) {
    const double scale = 1 / std::sqrt(static_cast<double>(size.size()));
    return builder.op(ops::Multiply, {query, builder.number_like(scale, query)});
  }
  const Value count = ir::size_of(builder, query, static_cast<std::int64_t>(last));
  const Value root = builder.op(ops::Sqrt, {ir::convert(builder, count, query.type())});
  return builder.op(ops::Divide, {query, root}, {{"m_pythondiv", true}});
}

Value scale_before(ir::Builder& builder, ir::ScaledDotProductAttentionView attention) {
  const Value query = scale_query(builder, attention);
  // A scalar 0 is only a placeholder for the mask, before the scale.
  const Value mask = attention.mask() ? attention.mask() : builder.number_like(0, query);
  const Value one = builder.number_like(1, query);
  return builder.op(ops::ScaledDotProductAttention, {query, attention.key(), attention.value(), mask, one},
                    {{"causal", attention.causal()}});
}

constexpr int kMaxNodes = 24;  ///< visited from a Softmax up to the product of query and key

/// If there is only one matrix, the order of the heads cannot be wrong.
bool is_misread(ir::Value value) {
  return has_several_matrices(value.shape()) && ir::is_computed_from_constants(value);
}

/// 0 or 1, which OpenVINO cannot fold. `source` is preferably known only at run time.
ir::Value emit_bit(ir::Builder& builder, ir::Value source) {
  if (ir::is_computed_from_constants(source))
    return ir::convert(builder, emit_run_time_truth(builder), ir::ElementType::i64);
  const ir::Value flat = ir::flatten(builder, source);
  const ir::Value zeros = builder.integers({0});
  const ir::Value ones = builder.integers({1});
  return emit_zero_or_one(builder, builder.op(ops::Slice, {flat, zeros, ones, ones, zeros}));
}

/// `constant` after a Gather of one row whose index is always 0, but computed at run time.
ir::Value hide_constant(ir::Builder& builder, ir::Value constant, ir::Value source) {
  const ir::Value bit = emit_bit(builder, source);
  const ir::Value other_bit = builder.op(ops::Subtract, {builder.integer(1), bit});
  const ir::Value index = builder.op(ops::Multiply, {bit, other_bit});
  const ir::Value row = ir::unsqueeze(builder, constant, {0});
  return ir::gather(builder, row, index);
}

/// The product of query and key whose Softmax `value` is, or null. OpenVINO fuses any elementwise operations
/// between the two. `budget` limits the number of visited nodes.
ir::Node* product_before(ir::Value value, int& budget) {
  ir::Node& node = *value.node;
  if (node.is(ops::MatMul)) return &node;
  if (--budget < 0 || node.inputs().size() > 3 || node.loop() != nullptr) return nullptr;
  for (const ir::Value input : node.inputs()) {
    if (ir::Node* const product = product_before(input, budget)) return product;
  }
  return nullptr;
}

/// The SoftMax that gives `value`, possibly before operations that OpenVINO moves or folds: factors, and a
/// Select with a constant condition, such as whether all keys of a row are masked. No value if `value` comes
/// from another operation.
std::optional<ir::SoftMaxView> softmax_before(ir::Value value) {
  constexpr int kMostSteps = 4;
  std::vector<ir::Value> values = {value};
  for (std::size_t i = 0; i < values.size() && i < kMostSteps; ++i) {
    const ir::Node& node = *values[i].node;
    if (const auto softmax = ir::match<ir::SoftMaxView>(node)) return softmax;
    const auto select = ir::match<ir::SelectView>(node);
    if (select && ir::is_computed_from_constants(select->condition()))
      values.insert(values.end(), {select->then_value(), select->else_value()});
    if (const ir::Value data = scaled_operand(node)) values.push_back(data);
  }
  return std::nullopt;
}

/// The product of query and key of an attention that is written as MatMul, SoftMax and MatMul; null if `node`
/// is not the second product of an attention.
ir::Node* scores_before(const ir::Node& node) {
  const auto product = ir::match<ir::MatMulView>(node);
  const auto softmax = product ? softmax_before(product->a()) : std::nullopt;
  int budget = kMaxNodes;
  return softmax ? product_before(softmax->data(), budget) : nullptr;
}

/// Fault::attention_constants and Fault::bf16_attention_fusion. The CPU plugin reads constant keys and values
/// of an attention in the wrong order.
bool has_misread_constants(const ir::Node& node) {
  if (const auto attention = ir::match<ir::ScaledDotProductAttentionView>(node))
    return is_misread(attention->key()) || is_misread(attention->value());
  const ir::Node* const scores = scores_before(node);
  if (scores == nullptr) return false;
  const ir::MatMulView first = *scores;
  return is_misread(first.a()) || is_misread(first.b()) || is_misread(ir::MatMulView(node).b());
}

/// Hides an operand if the plugin misreads it, with a bit of input `source`.
void hide_operand(ir::Node& node, std::size_t operand, std::size_t source) {
  if (!is_misread(node.input(operand))) return;
  ir::Builder builder = ir::builder_beside(node);
  node.set_input(operand, hide_constant(builder, node.input(operand), node.input(source)));
}

void hide_constants(ir::Builder&, ir::Node& node) {
  if (node.is(ops::ScaledDotProductAttention)) {
    hide_operand(node, 1, 0);
    hide_operand(node, 2, 0);
    return;
  }
  ir::Node& scores = *scores_before(node);
  hide_operand(scores, 1, 0);
  hide_operand(scores, 0, 1);
  hide_operand(node, 1, 0);
}

template <bool kIsBf16>
bool is_affected(const ir::Node& node) {
  return (node.output(0).type == ir::ElementType::bf16) == kIsBf16 && has_misread_constants(node);
}

constexpr ir::OperationSet kAttentions{ops::MatMul, ops::ScaledDotProductAttention};

/// Finite, so that Softmax of a fully masked row is not NaN: the result of such a row is the mean of all
/// values.
double hidden(ir::ElementType type) {
  return type == ir::ElementType::f16 ? -60000 : -1e30;
}

bool has_boolean_mask(ir::ScaledDotProductAttentionView attention) {
  return attention.mask() && attention.mask().type() == ir::ElementType::boolean;
}

/// Makes numbers of the mask that are added to the scores: 0 for true, and for false one that makes the
/// weight 0.
ir::Value convert_mask(ir::Builder& builder, ir::ScaledDotProductAttentionView attention) {
  const ir::ElementType type = attention.query().type();
  const ir::Value mask = builder.op(
      ops::Select, {attention.mask(), builder.number(0, type), builder.number(hidden(type), type)});
  return ir::clone_with_input(builder, attention, ir::ScaledDotProductAttentionView::Input::mask, mask);
}

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

/// Fault::dynamic_attention_mask. The sum of a dynamic product and a static mask, such as the bias of the
/// positions in a window, compiles.
bool is_attention_with_dynamic_mask(ir::SoftMaxView softmax) {
  const ir::Node& sum = *softmax.data().node;
  const auto is_static = [](ir::Value operand) { return operand.shape().is_static(); };
  const auto is_static_product = [&](ir::Value operand) {
    int budget = kMaxNodes;
    return is_static(operand) && product_before(operand, budget) != nullptr;
  };
  return sum.is_one_of(kSums) && !std::ranges::all_of(sum.inputs(), is_static) &&
         is_read_by(softmax, {ops::MatMul}) && std::ranges::any_of(sum.inputs(), is_static_product);
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

Workaround legalize_attentions() {
  return {.summary =
              "Hides constant keys and values of an attention, converts boolean masks to numbers, scales "
              "queries before, and keeps operations apart that OpenVINO would fuse wrongly",
          .stages = {
              {Stage::imported,
               {row<scales_constant_key, scale_before>(Fault::attention_scale_rounding,
                                                       {ops::ScaledDotProductAttention})}},
              {Stage::kernels,
               {separating_row<is_broadcast_attention>(Fault::attention_broadcast, {ops::MatMul}),
                row<is_affected<false>, hide_constants>(Fault::attention_constants, kAttentions),
                separating_row<is_attention_output>(Fault::attention_output_rank, {ops::MatMul}),
                separating_row<widens_attention>(Fault::attention_rank, {ops::MatMul}),
                row<is_affected<true>, hide_constants>(Fault::bf16_attention_fusion, kAttentions),
                row<has_boolean_mask, convert_mask>(Fault::boolean_attention_mask,
                                                    {ops::ScaledDotProductAttention}),
                separating_row<is_attention_with_dynamic_mask>(Fault::dynamic_attention_mask, {ops::SoftMax}),
                separating_row<weighs_dynamic_values>(Fault::dynamic_attention_values, {ops::SoftMax}),
                separating_row<is_rotated_half>(Fault::rotary_shape, {ops::Concat}),
                separating_row<is_turned_part>(Fault::rotary_shape, {ops::Subtract})}}}};
}

}  // namespace onnx2ir::passes
