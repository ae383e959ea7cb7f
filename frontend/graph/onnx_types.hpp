// Types between ONNX and the IR.
#pragma once

#include <optional>

#include "ir/graph.hpp"

namespace onnx {
class TypeProto;
}  // namespace onnx

namespace onnx2ir::frontend {

/// A tensor type of a model as the IR has it.
struct TensorType {
  ir::ElementType type;
  ir::PartialShape
      shape;  ///< of unknown rank when the model gives none; symbols and absent sizes are unknown
};

/// The tensor type in `type`; nothing when it is no tensor, or of an element type OpenVINO does not have.
std::optional<TensorType> to_tensor_type(const onnx::TypeProto& type);

/// The ONNX type of `value`; default-constructed for a null value.
onnx::TypeProto to_onnx_type(ir::Value value);

}  // namespace onnx2ir::frontend
