// Operations on strings. OpenVINO can only unpack strings to bytes and pack bytes to strings.
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Whether the strings of `a` and `b`, broadcast, are equal.
Value compare_strings(NodeContext& node, Value a, Value b);

}  // namespace onnx2ir::frontend
