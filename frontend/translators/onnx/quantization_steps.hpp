// Numbers that are quantised: what is known of them, and quotients that are rounded as onnxruntime rounds
// them.
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Whether rounding x / `scale` needs an exact quotient: whether it may be the midpoint of two integers. It
/// meets a midpoint only by chance if x is a sum, because the rounding errors of sums differ between runtimes
/// anyway, or if x is a multiple of another scale, unless the quotient of both scales is a
/// simple fraction.
bool may_be_midpoint(ir::Value x, ir::Value scale);

/// x / scale, to be rounded to an integer: no rounding error moves it across the midpoint between two
/// integers.
Value divide_before_rounding(NodeContext& node, Value x, Value scale);

}  // namespace onnx2ir::frontend
