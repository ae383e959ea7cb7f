// Strings. OpenVINO only unpacks them to bytes and packs bytes to strings.
#pragma once

#include "frontend/translators/context.hpp"

namespace onnx2ir::frontend {

/// Whether the strings of `a` equal those of `b`, broadcast.
Value equal_texts(NodeContext& node, Value a, Value b);

}  // namespace onnx2ir::frontend
