// Convolutions that read at computed places: DeformConv, DeformableConv2D.
#pragma once

#include <string_view>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

struct DeformableForm {
  std::string_view offset_groups;        ///< the name of the attribute
  bool pads_when_interpolating = false;  ///< whether places beyond the edge are between a number and 0
};

/// `inputs`: data of rank 4, offsets, filters, and masks if there are any. Fails for another rank.
Value emit_deformable_convolution(NodeContext& node, const Values& inputs, const DeformableForm& form);

}  // namespace onnx2ir::frontend
