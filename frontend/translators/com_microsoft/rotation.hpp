// Rotary position embeddings.
#pragma once

#include <cstdint>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The rotation of heads: pair i at position p by the angle whose cosine and sine are at [b, 0, p, i].
struct Rotation {
  Value cosines;  ///< [B or 1, 1, S, r / 2]
  Value sines;
  bool is_interleaved = false;     ///< pairs are adjacent elements, not elements of the two halves
  bool is_of_whole_heads = false;  ///< r is the size of the heads, also if that is not known
};

/// From caches [M, r / 2] at `positions` [B or 1, S].
Rotation gather_rotation(NodeContext& node, Value cosines, Value sines, Value positions, bool is_interleaved);

/// Rotates the first r elements of the heads [B, N, S, h].
Value rotate_heads(NodeContext& node, Value heads, const Rotation& rotation);

}  // namespace onnx2ir::frontend
