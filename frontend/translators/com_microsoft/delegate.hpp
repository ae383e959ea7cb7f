// Translates operators as another ONNX operator, with additional operations before or after it, or as a
// function body of ONNX.
#pragma once

#include <string_view>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Translates as the ONNX operator `op` of version `opset` on `inputs`, with the attributes of `node`.
Values translate_as(NodeContext& node, std::string_view op, std::int64_t opset, const Operands& inputs);
/// The same with the inputs of `node`.
Values translate_as(NodeContext& node, std::string_view op, std::int64_t opset);

/// Translates `node` as the function body that ONNX defines since version `since` for an operator of this
/// name.
Operands translate_function_body(NodeContext& node, std::int64_t since);

}  // namespace onnx2ir::frontend
