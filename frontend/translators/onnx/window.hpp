// The attributes of operators that slide a window (kernel, strides, dilations, pads), and deformable
// convolutions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/graph/node_context.hpp"
#include "ir/gathered_windows.hpp"

namespace onnx2ir::frontend {

/// `auto_pad` is not "valid".
struct Window : ir::WindowSteps {
  ir::Integers kernel;
};

/// Fails unless `least` <= value <= 2^31 for all `values` of the attribute `name`, so that sums and products
/// of two of them fit into 64 bits.
void check_values(NodeContext& node, std::string_view name, std::span<const std::int64_t> values,
                  std::int64_t least);

/// Reads the attributes for `spatial` axes; absent ones have their defaults. `kernel` may be empty if it is
/// determined otherwise.
Window window_of(NodeContext& node, std::int64_t spatial);

/// The attributes of operations that slide a window, except the kernel, and `others`.
std::vector<ir::Attribute> attributes_of(const ir::WindowSteps& window,
                                         std::initializer_list<ir::Attribute> others = {});

/// A convolution that reads at computed places: DeformConv, DeformableConv2D. `inputs`: data of rank 4,
/// offsets, filters, and masks if there are any. Fails for another rank. `offset_groups` is the name of the
/// attribute. `pads_when_interpolating`: whether a place less than one element beyond the edge is
/// interpolated between the edge and 0.
Value emit_deformable_convolution(NodeContext& node, const Values& inputs, std::string_view offset_groups,
                                  bool pads_when_interpolating);

}  // namespace onnx2ir::frontend
