// Shared by the attention operators of ONNX and onnxruntime: heads, masks, and the attention itself.
#pragma once

#include <limits>
#include <optional>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Query, key and value in heads. If several query heads share a key head, they form a group, which is a
/// separate axis: products then broadcast the key along it.
struct Heads {
  Value query;  ///< [B, N, S, h], in groups [B, K, N / K, S, h]
  Value key;    ///< [B, K, T, h], with the past
  Value value;
  Value count;  ///< K, i64 [1]
  bool are_grouped;
};

/// The value in an additive mask for hidden keys.
inline constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// The mask that hides keys from the queries of an Attention node.
struct AttentionMask {
  /// Boolean (true for visible keys) or additive; null if no keys are hidden. Broadcasts to the scores: [B,
  /// N, S, T], in groups [B, K, N / K, S, T].
  Value value;
  bool hides_future = false;  ///< also hides keys after the query's own position, by the attribute `causal`
  bool fits_one_operation = true;  ///< ScaledDotProductAttention supports it
};

/// `may_be_causal`: an equal mask may become the attribute `causal` of ScaledDotProductAttention.
AttentionMask attention_mask(NodeContext& node, const Heads& heads, bool may_be_causal);

/// One mask for `bias`, which is added to the scores, and `seen`, the visible keys; either may be null.
Value merged_mask(Builder& builder, Value bias, Value seen);

/// One ScaledDotProductAttention. `mask` may be null; without a scale it is 1 / sqrt(h).
Value fused_attention(Builder& builder, const Values& query_key_value, Value mask,
                      std::optional<double> scale, bool is_causal);

/// `scores` limited to [-cap, cap]; unchanged if `cap` is 0.
Value capped(Builder& builder, Value scores, double cap);

/// Replaces rows of `value` by zeros for queries from which `mask` hides all keys, because the Softmax of a
/// fully masked row is NaN.
Value zero_fully_masked_rows(NodeContext& node, Value value, Value mask);

}  // namespace onnx2ir::frontend
