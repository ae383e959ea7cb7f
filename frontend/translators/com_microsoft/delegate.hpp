// Operators of onnxruntime that are one of ONNX's with something before or after it.
#pragma once

#include <string_view>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

inline constexpr std::string_view kMicrosoft = "com.microsoft";

/// What the ONNX operator `op` of version `opset` makes of `inputs`, with the attributes of `node`.
Values translate_as(NodeContext& node, std::string_view op, std::int64_t opset, const Operands& inputs);

}  // namespace onnx2ir::frontend
