// Rotary position embeddings.
#pragma once

#include <cstdint>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// How heads are rotated: pair i of position p by the angle whose cosine and sine stand at [b, 0, p, i].
struct Rotation {
  Value cosines;  ///< [B or 1, 1, S, r / 2]
  Value sines;
  bool is_interleaved = false;  ///< pairs are neighbours, not elements of the two halves
};

/// From caches [M, r / 2] at `positions` [B or 1, S].
Rotation rotation_by_caches(NodeContext& node, Value cosines, Value sines, Value positions,
                            bool is_interleaved);
/// From the angles p / 10000^(2i / size) at `positions` [B or 1, S].
Rotation rotation_by_angles(NodeContext& node, Value positions, std::int64_t size);

/// The heads [B, N, S, h], whose first r elements are rotated.
Value rotated(NodeContext& node, Value heads, const Rotation& rotation);

}  // namespace onnx2ir::frontend
