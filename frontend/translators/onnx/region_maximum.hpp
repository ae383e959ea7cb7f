// RoiAlign with mode "max".
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// RoiAlign of regions [R, 4] of `image` [N, C, H, W]; image i is named by `batches` [R]. Pixels are squares
/// around their coordinates when `half_pixel` is set.
Value region_maximum(NodeContext& node, Value image, Value regions, Value batches, bool half_pixel);

}  // namespace onnx2ir::frontend
