// Shared by onnxruntime's attention operators: masks by lengths, caches, and the attention itself.
#pragma once

#include <cstdint>
#include <optional>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Which keys are in the future of a query: none, or those after its own position. Positions are counted from
/// the first key, or so that the position of the last query is the last key. The last query sees all keys in
/// both cases, as in onnxruntime.
enum class Causality { none, from_first_key, to_last_key };

/// The scores that an operator returns besides its result.
enum class Scores { none, before_softmax, after_softmax };

/// The projected inputs, in heads.
struct Projections {
  Value query;  ///< [B, N, S, h]
  Value key;    ///< [B, K, S, h]
  Value value;
};

struct AttentionInputs {
  Value query;                       ///< [B, N, S, h]
  Value key;                         ///< [B, N, T, h], with the past
  Value value;                       ///< [B, N, T, v]
  Value bias = {};                   ///< null, or added to the scores; broadcasts to [B, N, S, T]
  Value seen = {};                   ///< null, or boolean: the visible keys; broadcasts to [B, N, S, T]
  std::optional<double> scale = {};  ///< no value: 1 / sqrt(h)
  double softcap = 0;
  Value sinks = {};  ///< null, or [N]: the score of an additional key without value
  Scores scores = Scores::none;
};

struct AttentionOutputs {
  Value mixed;   ///< [B, N, S, v]
  Value scores;  ///< [B, N, S, T], null for Scores::none
};

/// The attribute scale; no value if it is 0 or absent.
std::optional<double> scale_of(const NodeContext& node);

/// Emits one ScaledDotProductAttention if that is sufficient, otherwise its decomposition.
AttentionOutputs attend(NodeContext& node, const AttentionInputs& inputs);

/// [B, K, T, h] as [B, K * `group`, T, h]: repeats each head `group` times.
Value repeat_heads(NodeContext& node, Value value, std::int64_t group);

/// Sets the scale of Attention or MultiHeadAttention, and the bias, which is the sum of the input `bias` and
/// of the attribute mask_filter_value for keys that the mask hides or the lowest number for keys in the
/// future. The input `mask` may be absent, lengths [B], ends and starts [2 * B], lengths and offsets [3 * B +
/// 2], [B, T] or [B, S, T].
void read_masks(NodeContext& node, AttentionInputs& inputs, std::size_t mask, std::size_t bias,
                Causality causality);

struct Cache {
  Value present;  ///< the output of the operator
  Value used;     ///< the input of the attention
};
/// The cache `past`, followed by `now`. With `length` (i64 [1]), `past` is a buffer that holds so many keys.
Cache extend_cache(NodeContext& node, Value past, Value length, Value now);

}  // namespace onnx2ir::frontend
