// Workarounds for operands of an attention that the CPU plugin misreads.
#include <algorithm>
#include <vector>

#include "ir/views/attention.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/normalization.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

constexpr int kMaxNodes = 24;  ///< visited from a Softmax up to the product of query and key

/// If there is only one matrix, the order of the heads cannot be wrong.
bool has_several_matrices(const ir::PartialShape& shape) {
  return shape.has_rank() && shape.rank() > 2 &&
         std::ranges::any_of(shape.dimensions().first(shape.rank() - 2),
                             [](const ir::Dimension& size) { return size != ir::Dimension(1); });
}

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

}  // namespace

Workaround legalize_attentions() {
  return {.stage = Stage::kernels,
          .summary = "Hides constant keys and values of an attention, and converts boolean masks to numbers",
          .rows = {row<is_affected<false>, hide_constants>(Fault::attention_constants, kAttentions),
                   row<is_affected<true>, hide_constants>(Fault::bf16_attention_fusion, kAttentions),
                   row<has_boolean_mask, convert_mask>(Fault::boolean_attention_mask,
                                                       {ops::ScaledDotProductAttention})}};
}

}  // namespace onnx2ir::passes
