// The cache of a GroupQueryAttention that holds only the keys of the window.
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The number of keys of each row of the batch, i64 [B].
struct Lengths {
  Value past;       ///< before the first query
  Value total;      ///< with the keys of all queries
  Value first_new;  ///< the position of the first new key
  Value longest;    ///< total_sequence_length, i64 [1]
  Value is_prompt;  ///< boolean [1]: the queries have no past
};

/// About the keys of the cache, followed by the new ones: [B, K, C + S, h].
struct WindowCache {
  Value positions;  ///< in the sequence, i64 [B, C + S]; unused keys of the cache are after all others
  Value kept;       ///< the indices of the keys in the new cache, i64 [B, C]
};

/// Fails if the attributes and inputs do not fit a cache of the window.
void check_window_cache(NodeContext& node);
WindowCache extend_window_cache(NodeContext& node, Value past, Value now, const Lengths& lengths);

/// `bias` [B or 1, N or 1, S, total_sequence_length] (or null) for the keys of a window cache.
Value select_window(NodeContext& node, Value bias, const WindowCache& cache, const Lengths& lengths);

}  // namespace onnx2ir::frontend
