// Translates operators of onnxruntime that are an ONNX operator with additional operations before or after
// it.
#pragma once

#include <string_view>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

inline constexpr std::string_view kMicrosoft = "com.microsoft";

/// Translates as the ONNX operator `op` of version `opset` on `inputs`, with the attributes of `node`.
Values translate_as(NodeContext& node, std::string_view op, std::int64_t opset, const Operands& inputs);

}  // namespace onnx2ir::frontend
