// The cache of a GroupQueryAttention that becomes a variable of the model (--stateful). Callers cannot read
// variables, so the layout may differ from onnxruntime's: the cache keeps all tokens in their order, also
// padding, and the attention mask of the model hides the padding. New keys are only appended. onnxruntime
// removes padding from the cache, which needs a Gather of all keys in each step.
#pragma once

#include <optional>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The tokens of the past and of the queries.
struct MaskedTokens {
  Value counts;     ///< boolean [B, T]: the token is not padding
  Value positions;  ///< i64 [B, T]: the number of tokens before it that are not padding
  Value own;        ///< i64 [S]: the indices of the queries in [0, T)
};

/// The tokens of a GroupQueryAttention with `query` [B, N, S, h] if its cache becomes a variable, and if the
/// attention mask of the model gives its lengths, as in exports of onnxruntime-genai:
///
///     seqlens_k = ReduceSum(attention_mask, 1) - 1, total_sequence_length = Shape(attention_mask)[1]
///
/// Otherwise no value. Fails if the cache holds only the keys of the window (sliding_window_cache): in the
/// variable, it holds all of them.
std::optional<MaskedTokens> find_masked_tokens(NodeContext& node, Value query);

/// The positions of the queries, i64 [B, S].
Value compute_query_positions(NodeContext& node, const MaskedTokens& tokens);

/// The visible keys, boolean [B, 1, S, T]. A query sees at least itself, because the Softmax of a fully
/// masked row is NaN. `window`: the largest number of keys that a query sees; below 1: no limit.
Value find_seen_keys(NodeContext& node, const MaskedTokens& tokens, std::int64_t window);

/// [B, K, P, h] and [B, K, S, h] or [B, K, 0, h]: [B, K, T, h].
Value append_to_cache(NodeContext& node, Value past, Value now);

}  // namespace onnx2ir::frontend
