// Operators that are defined by other operators: a model's own functions, and the function bodies ONNX gives
// for many of its operators. A body is translated in place of the node: in a scope of its own, whose names
// are the function's inputs, with the function's opset imports.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frontend/reader/opset_imports.hpp"

namespace onnx {
class FunctionProto;
class NodeProto;
class TypeProto;
}  // namespace onnx

namespace onnx2ir::frontend {

/// The body of one call: the function with all references to attributes replaced by the call's values or the
/// function's defaults, at any depth of subgraphs (an attribute that has neither is left out, as the
/// specification says). Inputs and outputs correspond to the node's by position; the node may have fewer:
/// the rest are absent. Tensors in it refer to the same WeightTable as the node's.
struct FunctionBody {
  std::shared_ptr<const onnx::FunctionProto> function;
  OpsetImports opsets;
  std::string name;  ///< for function stacks: "my.domain::Gelu"
};

/// The body of a call of the model's own `function` by `node`.
FunctionBody bind_function(const onnx::FunctionProto& function, const onnx::NodeProto& node);

/// The body ONNX's schema gives for `node`, an operator of ONNX as of version `opset`. `input_types` are the
/// types of its inputs as far as known (default-constructed where not): some bodies depend on them. Nothing
/// when the operator has no body, or none for these types.
std::optional<FunctionBody> expand_operator(const onnx::NodeProto& node, std::int64_t opset,
                                            std::span<const onnx::TypeProto> input_types);

/// Whether the operator has a function body at all, so that expand_operator may succeed.
bool has_function_body(std::string_view domain, std::string_view op_type, std::int64_t opset);

}  // namespace onnx2ir::frontend
