// Operators that a library of the user converts (Options::extensions).
#pragma once

#include "frontend/graph/operand.hpp"

namespace onnx2ir::frontend {

class NodeContext;
struct ExtensionTranslator;

/// Calls the translator of a library. Its errors and exceptions become errors of the node.
Operands call_extension(NodeContext& node, const ExtensionTranslator& translator);

}  // namespace onnx2ir::frontend
