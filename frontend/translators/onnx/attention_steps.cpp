#include "frontend/translators/onnx/attention_steps.hpp"

#include <cmath>
#include <string>

#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// Multiplies the query by the scale. The size of the heads may be dynamic.
Value scale_query(NodeContext& node, const ScoreTerms& terms) {
  const Value query = terms.query;
  const auto axis = static_cast<std::size_t>(node.rank(query) - 1);
  const ir::Dimension size = query.shape()[axis];
  if (terms.scale || size.is_static()) {
    const double scale = terms.scale ? *terms.scale : 1 / std::sqrt(static_cast<double>(size.size()));
    return node.op(ops::Multiply, {query, node.number_like(scale, query)});
  }
  const Value root =
      node.op(ops::Sqrt, {convert(node, size_of(node, query, std::int64_t(axis)), query.type())});
  if (!terms.has_factor) return divide(node, query, root);
  return node.op(ops::Multiply, {query, divide(node, node.number_like(1, root), root)});
}

Value cap_scores(Builder& builder, Value scores, double cap) {
  if (cap == 0) return scores;
  const Value limit = builder.number_like(cap, scores);
  return builder.op(ops::Multiply, {builder.op(ops::Tanh, {divide(builder, scores, limit)}), limit});
}

}  // namespace

Value split_heads(NodeContext& node, Value value, std::int64_t count, std::int64_t group) {
  const ir::Dimension hidden = value.shape()[2];
  if (hidden.is_static() && hidden.size() % count != 0) {
    node.fail("the hidden size " + std::to_string(hidden.size()) + " cannot be divided into " +
              std::to_string(count) + " heads");
  }
  const std::int64_t size = hidden.is_static() ? hidden.size() / count : -1;
  if (group == 1) return transpose(node, reshape_keeping(node, value, {0, 0, count, size}), {0, 2, 1, 3});
  return transpose(node, reshape_keeping(node, value, {0, 0, count / group, group, size}), {0, 2, 3, 1, 4});
}

Value join_heads(NodeContext& node, Value value) {
  const PartialShape& shape = value.shape();
  std::int64_t hidden = 1;
  for (std::size_t axis = 1; axis < shape.rank(); ++axis) {
    if (axis + 2 == shape.rank()) continue;
    hidden = hidden < 0 || shape[axis].is_dynamic() ? -1 : ir::checked_multiply(hidden, shape[axis].size());
  }
  const Value rows =
      shape.rank() == 5 ? transpose(node, value, {0, 3, 1, 2, 4}) : transpose(node, value, {0, 2, 1, 3});
  return reshape_keeping(node, rows, {0, 0, hidden});
}

AttentionScores compute_attention_scores(NodeContext& node, const ScoreTerms& terms) {
  AttentionScores scores;
  scores.products = mat_mul(node, scale_query(node, terms), terms.key, {.b = true});
  scores.limited = cap_scores(node, scores.products, terms.cap);
  scores.biased = add_if_present(node, scores.limited, terms.bias);
  scores.masked = scores.biased;
  if (terms.seen) {
    const Value hidden = node.number_like(kHidden, scores.biased);
    scores.masked = node.op(ops::Select, {terms.seen, scores.biased, hidden});
  }
  return scores;
}

Value merge_masks(Builder& builder, Value bias, Value seen) {
  if (!bias || !seen) return bias ? bias : seen;
  return builder.op(ops::Select, {seen, bias, builder.number_like(kHidden, bias)});
}

Value emit_fused_attention(Builder& builder, const Values& query_key_value, Value mask,
                           std::optional<double> scale, bool is_causal) {
  Values inputs = query_key_value;
  const Value query = inputs.front();
  // A scalar 0 is only a placeholder for the mask, before the scale.
  if (mask || scale) inputs.push_back(mask ? mask : builder.number_like(0, query));
  if (scale) inputs.push_back(builder.number_like(*scale, query));
  return builder.op(ops::ScaledDotProductAttention, inputs, {{"causal", is_causal}});
}

}  // namespace onnx2ir::frontend
