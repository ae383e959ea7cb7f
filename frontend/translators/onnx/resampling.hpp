// What a Resize or Upsample node asks for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Everything a Resize says, with one entry for each axis that is resized.
struct ResizePlan {
  Value image;
  std::vector<std::int64_t> axes;
  Value scales;  ///< f32 [axes]; null when sizes are given
  Value sizes;   ///< i64 [axes]; null when scales are given
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

/// The image resampled axis by axis as the ONNX reference does it: a gather for the nearest modes, a product
/// with a matrix of weights for the others. All of the plan is obeyed, and sizes may be known at run time
/// only.
Value resampled(NodeContext& node, const ResizePlan& plan);

}  // namespace onnx2ir::frontend
