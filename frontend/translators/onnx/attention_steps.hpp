// Shared by the attention operators of ONNX and onnxruntime: heads, scores, and ScaledDotProductAttention.
//
// If several query heads share a key head, they may form a group, which is a separate axis: products
// broadcast the key along it. [B, N, S, h] is then [B, K, N / K, S, h].
#pragma once

#include <limits>
#include <optional>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// [B, S, N * h] as [B, N, S, h]; with `group` heads in each group if that is not 1.
Value split_heads(NodeContext& node, Value value, std::int64_t count, std::int64_t group = 1);
/// [B, N, S, h], also in groups, as [B, S, N * h].
Value join_heads(NodeContext& node, Value value);

/// The value in an additive mask for hidden keys.
inline constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// The inputs of the scores. `bias` is added to them, and hidden keys are not `seen`; both broadcast to [B,
/// N, S, T] and may be null.
struct ScoreTerms {
  Value query;
  Value key;
  Value bias = {};
  Value seen = {};
  std::optional<double> scale = {};  ///< no value: 1 / sqrt(h)
  /// If h is dynamic, the query is multiplied by 1 / sqrt(h), as in onnxruntime, instead of divided by
  /// sqrt(h).
  bool has_factor = false;
  double cap = 0;  ///< the scores are limited to [-cap, cap]; 0: they are not
};

/// The scores after each step.
struct AttentionScores {
  Value products;  ///< of the query, multiplied by the scale, and the key
  Value limited;
  Value biased;
  Value masked;
};
AttentionScores compute_attention_scores(NodeContext& node, const ScoreTerms& terms);

/// One mask for `bias` and `seen`.
Value merge_masks(Builder& builder, Value bias, Value seen);

/// One ScaledDotProductAttention. `mask` may be null; without a scale it is 1 / sqrt(h).
Value emit_fused_attention(Builder& builder, const Values& query_key_value, Value mask,
                           std::optional<double> scale, bool is_causal);

}  // namespace onnx2ir::frontend
