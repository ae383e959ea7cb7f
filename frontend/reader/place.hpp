// Names of graphs and nodes in diagnostics. All diagnostics use these functions, so that a node always has
// the same name.
#pragma once

#include <cstdint>
#include <onnx2ir/diagnostic.hpp>
#include <string>
#include <string_view>

#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {

/// The path of the model's main graph.
inline constexpr std::string_view kMainGraphPath = "main";

/// The path of the body in attribute `attribute` of the node at `index` of the graph at `graph_path`:
/// "main/loop_3.body". A node without a name is identified by its operator and index.
std::string body_path(std::string_view graph_path, const onnx::NodeProto& node, std::int64_t index,
                      std::string_view attribute);

/// The operator of a node: "com.microsoft.Attention".
std::string operator_name(const onnx::NodeProto& node);

/// The path of a function's body outside of a call: "function my.domain::Gelu".
std::string function_path(const onnx::FunctionProto& function);

/// The place of the graph with this path.
Place graph_place(std::string_view path);

/// The place of the node at `index` of the graph at `graph_path`; `opset` is the imported version of its
/// domain, -1 if it is not imported.
Place node_place(std::string_view graph_path, const onnx::NodeProto& node, std::int64_t index,
                 std::int64_t opset);

}  // namespace onnx2ir::frontend
