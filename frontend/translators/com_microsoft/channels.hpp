// Converts images with channels in the last axis.
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// [N, ..., C] as [N, C, ...].
Value move_channels_first(NodeContext& node, Value value);
/// [N, C, ...] as [N, ..., C].
Value move_channels_last(NodeContext& node, Value value);

}  // namespace onnx2ir::frontend
