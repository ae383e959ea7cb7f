// Operators without a translator that become layers of an extension of OpenVINO, which the program that runs
// the IR registers (Options::keep_unknown).
#pragma once

#include "frontend/graph/operand.hpp"

namespace onnx2ir::frontend {

class NodeContext;

/// Emits the node as a layer of the same type, with its attributes as texts and with the output types that
/// the model declares. Fails if the layer cannot have an attribute, or if an element type is not declared.
Operands keep_operator(NodeContext& node);

}  // namespace onnx2ir::frontend
