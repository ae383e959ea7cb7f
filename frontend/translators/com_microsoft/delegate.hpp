// Translates operators as another ONNX operator, with additional operations before or after it, or as a
// function body of ONNX.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Translates as the ONNX operator `op` of version `opset` on `inputs`, with the attributes of `node`.
Values translate_as(NodeContext& node, std::string_view op, std::int64_t opset, const Operands& inputs);

/// A text as an argument of a template.
template <std::size_t kSize>
struct OperatorName {
  char text[kSize];
  consteval OperatorName(const char (&name)[kSize]) {  // NOLINT(google-explicit-constructor): a literal
    std::copy_n(name, kSize, text);
  }
};

/// The translator of an operator that is the ONNX operator `kName` of version `kOpset`.
template <OperatorName kName, std::int64_t kOpset>
Values same_as(NodeContext& node) {
  return translate_as(node, kName.text, kOpset, node.operands());
}

/// Translates `node` as the function body that ONNX defines for this operator since version `since`.
Operands translate_function_body(NodeContext& node, std::int64_t since);
/// The same for another node `call` with other inputs.
Operands translate_function_body(NodeContext& node, const onnx::NodeProto& call, std::int64_t since,
                                 const Operands& inputs);

}  // namespace onnx2ir::frontend
