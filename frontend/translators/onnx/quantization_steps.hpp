// What is known of the numbers that QuantizeLinear rounds.
#pragma once

#include "ir/graph.hpp"

namespace onnx2ir::frontend {

/// Whether rounding x / `scale` needs an exact quotient: whether it may be the midpoint of two integers. It
/// meets a midpoint only by chance if x is a sum, because the rounding errors of sums differ between runtimes
/// anyway, or if x is a multiple of another scale, unless the quotient of both scales is a
/// simple fraction.
bool may_be_midpoint(ir::Value x, ir::Value scale);

}  // namespace onnx2ir::frontend
