// Strings. OpenVINO only unpacks them to bytes and packs bytes to strings.
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Whether the strings of `a` equal those of `b`, broadcast.
Value equal_strings(NodeContext& node, Value a, Value b);

}  // namespace onnx2ir::frontend
