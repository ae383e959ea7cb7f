// The masks of the operator Attention of ONNX.
#pragma once

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

/// The mask that hides keys from the queries of an Attention node.
struct AttentionMask {
  /// Boolean (true for visible keys) or additive; null if no keys are hidden. Broadcasts to the scores: [B,
  /// N, S, T], in groups [B, K, N / K, S, T].
  Value value;
  bool hides_future = false;  ///< also hides keys after the query's own position, by the attribute `causal`
  bool fits_one_operation = true;  ///< ScaledDotProductAttention supports it
};

/// `may_be_causal`: an equal mask may become the attribute `causal` of ScaledDotProductAttention.
AttentionMask emit_attention_mask(NodeContext& node, const Heads& heads, bool may_be_causal);

/// Replaces rows of `value` by zeros for queries from which `mask` hides all keys, because the Softmax of a
/// fully masked row is NaN.
Value zero_fully_masked_rows(NodeContext& node, Value value, Value mask);

}  // namespace onnx2ir::frontend
