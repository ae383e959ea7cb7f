// Convolutions that read at computed places: DeformConv, DeformableConv2D.
#pragma once

#include <string_view>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

struct DeformableForm {
  std::string_view offset_groups;  ///< the name of the attribute
  /// Whether a place less than one element beyond the edge is interpolated between the edge and 0.
  bool pads_when_interpolating = false;
};

/// `inputs`: data of rank 4, offsets, filters, and masks if there are any. Fails for another rank.
Value emit_deformable_convolution(NodeContext& node, const Values& inputs, const DeformableForm& form);

}  // namespace onnx2ir::frontend
