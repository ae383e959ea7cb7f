// Which values sizes are computed from.
#pragma once

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether a size may be computed from output 0 of `node`. Floating-point numbers are followed if they are
/// marked `precise`. OpenVINO divides where a size of a Reshape, Broadcast or the like is computed, and keeps
/// the mark; elsewhere it multiplies by the reciprocal. Operands of Gather and Range are no sizes themselves.
bool may_lead_to_size(const ir::Node& node);

}  // namespace onnx2ir::passes
