// Converts types between ONNX and the IR.
#pragma once

#include <onnx2ir/result.hpp>
#include <optional>

#include "frontend/graph/operand.hpp"

namespace onnx {
class TypeProto;
}  // namespace onnx

namespace onnx2ir::frontend {

/// The tensor type in `type`: of dynamic rank if the model declares no shape; symbolic and absent sizes are
/// dynamic. No value if it is not a tensor, or has an element type that OpenVINO does not have.
std::optional<TensorType> to_tensor_type(const onnx::TypeProto& type);

/// The type of a tensor, sequence or optional. The problem of all others (cannot_convert) is a clause that
/// follows the name of what has the type.
Result<OperandType> to_operand_type(const onnx::TypeProto& type);

/// The ONNX type of `operand`; default-constructed if it is absent.
onnx::TypeProto to_onnx_type(const Operand& operand);

}  // namespace onnx2ir::frontend
