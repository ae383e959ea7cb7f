// RoiAlign with mode "max".
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// RoiAlign of regions [R, 4] of `image` [N, C, H, W]; `batches` [R] are the indices of the images. If
/// `half_pixel` is set, coordinates are pixel centres.
Value emit_region_maximum(NodeContext& node, Value image, Value regions, Value batches, bool half_pixel);

}  // namespace onnx2ir::frontend
