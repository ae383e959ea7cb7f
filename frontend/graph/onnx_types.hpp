// Converts types between ONNX and the IR, and attributes to values of the IR.
#pragma once

#include <onnx2ir/result.hpp>
#include <optional>
#include <span>
#include <vector>

#include "frontend/graph/operand.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "ir/attribute.hpp"

namespace onnx2ir::frontend {

/// The type of a tensor, with declared_shape(). No value if it is not a tensor, or has an element type that
/// OpenVINO does not have.
std::optional<OperandType> to_tensor_type(const onnx::TypeProto& type);

/// The type of a tensor, sequence or optional. For other types, the problem (cannot_convert) is a clause that
/// follows the name of the value.
Result<OperandType> to_operand_type(const onnx::TypeProto& type);

/// The ONNX types of `operands`; default-constructed for those that are absent.
std::vector<onnx::TypeProto> to_onnx_types(std::span<const Operand> operands);

/// The value of an attribute; no value if it is not a number, a text or a list of them.
std::optional<ir::AttributeValue> attribute_value(const onnx::AttributeProto& attribute);

}  // namespace onnx2ir::frontend
