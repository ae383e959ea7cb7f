// The attributes of operators that slide a window (kernel, strides, dilations, pads), and deformable
// convolutions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// The axes along which the windows of OpenVINO's operations can slide.
constexpr std::size_t kMostWindowAxes = 3;

/// Whether `window` is more than one element along a spatial axis of the unchanged input.
bool slides(const Window& window, std::size_t axis);

/// Emits an operation that slides `window` over `input`, which lacks the axes `absent` of the original input.
using EmitSliding =
    std::function<Value(Value input, const Window& window, const std::vector<std::int64_t>& absent)>;

/// The result of `emit`. If `input` has more than kMostWindowAxes spatial axes, those along which the window
/// does not slide become a part of the batch, and `channels` the axis of the channels.
Value slide(NodeContext& node, Value input, const Window& window, const EmitSliding& emit,
            std::int64_t channels = 1);

/// A convolution that reads at computed places: DeformConv, DeformableConv2D. `inputs`: data of rank 4,
/// offsets, filters, and masks if there are any. Fails for another rank. `offset_groups` is the name of the
/// attribute. `pads_when_interpolating`: whether a place less than one element beyond the edge is
/// interpolated between the edge and 0.
Value emit_deformable_convolution(NodeContext& node, const Values& inputs, std::string_view offset_groups,
                                  bool pads_when_interpolating);

}  // namespace onnx2ir::frontend
