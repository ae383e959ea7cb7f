// Attention's heads and masks.
#pragma once

#include <limits>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Query, key and value in heads. Where several heads of the query share one of the key they are a group, an
/// axis of its own: products then broadcast the key along it.
struct Heads {
  Value query;  ///< [B, N, S, h], in groups [B, K, N / K, S, h]
  Value key;    ///< [B, K, T, h], with the past
  Value value;
  Value count;  ///< K, i64 [1]
  bool are_grouped;
};

/// What an additive mask holds for keys that take no part.
inline constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// What hides keys from the queries of an Attention node.
struct AttentionMask {
  /// Boolean, true for keys that take part, or added to the scores; null when it hides none. Broadcasts to
  /// the scores: [B, N, S, T], in groups [B, K, N / K, S, T].
  Value value;
  bool hides_future = false;  ///< keys behind the query's own position, besides: by the attribute `causal`
  bool fits_one_operation = true;  ///< ScaledDotProductAttention may have it
};

/// `may_be_causal`: an equal mask may become the attribute `causal` of ScaledDotProductAttention.
AttentionMask attention_mask(NodeContext& node, const Heads& heads, bool may_be_causal);

/// `value`, of rows as the scores have them, with zeros for queries from which `mask` hides all keys: the
/// softmax of such a row is NaN.
Value without_blind_rows(NodeContext& node, Value value, Value mask);

}  // namespace onnx2ir::frontend
