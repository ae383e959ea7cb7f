// Operators that are defined by other operators: a model's own functions, and the function bodies that ONNX
// gives for many of its operators. A body is translated in place of the node, in a scope of its own with the
// function's inputs and opset imports.
#pragma once

#include <cstdint>
#include <memory>
#include <onnx2ir/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/opset_imports.hpp"

namespace onnx2ir::frontend {

/// Finds the function that a node calls: domain, name and overload must be equal.
class FunctionIndex {
 public:
  explicit FunctionIndex(const onnx::ModelProto& model);

  /// The function that `node` calls; null if it calls none. The first one if there are duplicates.
  const onnx::FunctionProto* find(const onnx::NodeProto& node) const;
  /// The function with the same domain, name and overload as `function`: itself, unless it is a duplicate.
  const onnx::FunctionProto* find(const onnx::FunctionProto& function) const;

 private:
  std::unordered_map<std::string, const onnx::FunctionProto*> functions_;
};

/// The body of one call: the function with all references to attributes replaced by the call's values or the
/// function's defaults, also in nested graphs. (An attribute without either is removed, as specified.) Inputs
/// and outputs correspond to the node's by position; if the node has fewer, the rest are absent. Its tensors
/// refer to the WeightTable of the node.
struct FunctionBody {
  std::shared_ptr<const onnx::FunctionProto> function;
  std::shared_ptr<const OpsetImports> opsets;
  std::string name;  ///< for function stacks: "my.domain::Gelu"
  /// Whether it contains graphs that are attributes of the call: they use names and operator sets of the
  /// caller.
  bool has_graphs_of_call = false;
};

/// How many nodes a call of `function` counts as: its nodes and inputs, and its long attributes, which take
/// time in each call.
std::uint64_t nodes_of_call(const onnx::FunctionProto& function);

/// The body of the call of the model's own `function` by `node`; `opsets` are the function's imports. Graphs
/// in attribute values are copied to the references: twice their number of nodes is added to `nodes`, and
/// long values count as in nodes_of_call(). No value if that exceeds `most_nodes`, or if graphs are nested
/// too deeply.
std::optional<FunctionBody> bind_function(const onnx::FunctionProto& function, const onnx::NodeProto& node,
                                          std::shared_ptr<const OpsetImports> opsets, std::uint64_t& nodes,
                                          std::uint64_t most_nodes);

/// The problem of a model whose functions add more than `most` nodes.
Problem too_many_function_nodes(DiagnosticCode code, std::uint64_t most);

/// The imports of `function`.
OpsetImports opsets_of(const onnx::FunctionProto& function);

/// The body in ONNX's schema for `node`, an operator of ONNX as of version `opset`. `input_types` are the
/// types of its inputs (default-constructed if not known), because some bodies depend on them.
/// `model_version` is the version of ai.onnx for bodies in other domains. No value if the operator has no
/// body, or none for these types.
std::optional<FunctionBody> expand_operator(const onnx::NodeProto& node, std::int64_t opset,
                                            std::span<const onnx::TypeProto> input_types,
                                            std::optional<std::int64_t> model_version = {});

/// Whether the operator has a function body, so that expand_operator() may succeed.
bool has_function_body(std::string_view domain, std::string_view op_type, std::int64_t opset);

}  // namespace onnx2ir::frontend
