// Checks the input types of a node with ONNX's own shape inference.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace onnx {
class NodeProto;
class TypeProto;
}  // namespace onnx

namespace onnx2ir::frontend {

/// The reason why `node` is invalid with inputs of these types; no value if ONNX finds none. Does not look
/// into graphs in attributes.
std::optional<std::string> inference_problem(const onnx::NodeProto& node, std::int64_t opset,
                                             std::span<const onnx::TypeProto> input_types);

}  // namespace onnx2ir::frontend
