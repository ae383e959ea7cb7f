// Numbers that are quantised: what is known of them, and quotients that are rounded as onnxruntime rounds
// them.
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// x / scale, to be rounded to an integer: no rounding error moves it across the midpoint between two
/// integers.
Value divide_before_rounding(NodeContext& node, Value x, Value scale);

}  // namespace onnx2ir::frontend
