// Convolutions and Col2Im by gathering windows and adding by index, for any number of spatial axes and for
// dynamic sizes.
#pragma once

#include "frontend/graph/node_context.hpp"
#include "frontend/translators/onnx/window.hpp"

namespace onnx2ir::frontend {

/// A convolution whose filter has dynamic sizes.
Value unfolded_convolution(NodeContext& node, Value input, Value filter, const Window& window,
                           std::int64_t groups);

/// The same for a transposed convolution. `more` is output_padding. `output_shape` is empty if
/// absent.
Value folded_convolution(NodeContext& node, Value input, Value filter, const Window& window,
                         std::int64_t groups, const std::vector<std::int64_t>& more,
                         const std::vector<std::int64_t>& output_shape);

/// Col2Im along any number of axes: `columns` [N, C * kernel, places]; `sizes` and `kernel` are i64 [1] per
/// axis.
Value folded_columns(NodeContext& node, Value columns, const Values& sizes, const Values& kernel,
                     const Window& window);

}  // namespace onnx2ir::frontend
