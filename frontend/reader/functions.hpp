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
  std::shared_ptr<const OpsetImports> opsets;
  std::string name;  ///< for function stacks: "my.domain::Gelu"
};

/// The body of a call of the model's own `function` by `node`, whose imports are `opsets`. Graphs that are
/// the values of attributes are copied to the places that refer to them: twice their number is added to
/// `nodes`. Nothing when these become more than `most_nodes`, or when graphs are nested too deeply.
std::optional<FunctionBody> bind_function(const onnx::FunctionProto& function, const onnx::NodeProto& node,
                                          std::shared_ptr<const OpsetImports> opsets, std::uint64_t& nodes,
                                          std::uint64_t most_nodes);

/// What to say of a model whose functions add more than `most` nodes, and what the user can do.
std::string too_many_function_nodes(std::uint64_t most);
inline constexpr std::string_view kRaiseFunctionNodes =
    "raise the limit: --max-function-nodes N on the command line, Options::max_function_nodes in C++, "
    "max_function_nodes= in Python";

/// The imports of `function`.
OpsetImports opsets_of(const onnx::FunctionProto& function);

/// The body ONNX's schema gives for `node`, an operator of ONNX as of version `opset`. `input_types` are the
/// types of its inputs as far as known (default-constructed where not): some bodies depend on them.
/// `model_version` is the version of ai.onnx that bodies in other domains are written in. Nothing when the
/// operator has no body, or none for these types.
std::optional<FunctionBody> expand_operator(const onnx::NodeProto& node, std::int64_t opset,
                                            std::span<const onnx::TypeProto> input_types,
                                            std::optional<std::int64_t> model_version = {});

/// Whether the operator has a function body at all, so that expand_operator may succeed.
bool has_function_body(std::string_view domain, std::string_view op_type, std::int64_t opset);

}  // namespace onnx2ir::frontend
