// Types between ONNX and the IR.
#pragma once

#include <optional>
#include <string>

#include "frontend/graph/operand.hpp"

namespace onnx {
class TypeProto;
}  // namespace onnx

namespace onnx2ir::frontend {

/// The tensor type in `type`, of unknown rank when the model gives no shape; symbols and absent sizes are
/// unknown dimensions. Nothing when it is no tensor, or of an element type OpenVINO does not have.
std::optional<TensorType> to_tensor_type(const onnx::TypeProto& type);

/// The type of a tensor, sequence or optional; nothing when it holds anything else, and why in `problem`.
std::optional<OperandType> to_operand_type(const onnx::TypeProto& type, std::string& problem);

/// The ONNX type of `operand`; default-constructed for one that was left out.
onnx::TypeProto to_onnx_type(const Operand& operand);

}  // namespace onnx2ir::frontend
