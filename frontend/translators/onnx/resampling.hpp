// The parameters of a Resize or Upsample node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// All parameters of a Resize, with one entry per axis that is resized.
struct ResizePlan {
  Value image;
  std::vector<std::int64_t> axes;
  Value scales;  ///< f32 [axes]; null if sizes are given
  Value sizes;   ///< i64 [axes]; null if scales are given
  Value roi;     ///< f32 [2 * axes]: starts, then ends; null unless cropping
  std::string mode;
  std::string coordinates;
  std::string nearest;
  std::string policy;
  bool antialias;
  bool exclude_outside;
  double extrapolation;
  double cubic;
};

/// The image, resampled axis by axis like in the ONNX reference: f32. Gathers the positions that are read,
/// or, with antialiasing, multiplies by a matrix of weights. Supports all of the plan; sizes may be dynamic.
Value resample_axes(NodeContext& node, const ResizePlan& plan);
/// A resampled `image`, f32 for integers, in the type of the plan's image. Cubic weights overshoot: integers
/// are rounded and limited.
Value convert_resampled(NodeContext& node, Value image, const ResizePlan& plan);

}  // namespace onnx2ir::frontend
