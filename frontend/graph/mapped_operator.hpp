// Operators that a rule of the caller converts to an operation of the IR (Options::operator_map).
#pragma once

#include "frontend/graph/operand.hpp"

namespace onnx2ir::frontend {

class NodeContext;
struct OperatorRule;

/// Emits the operation of `rule`. Fails if the operation rejects the node's inputs or attributes.
Operands map_operator(NodeContext& node, const OperatorRule& rule);

}  // namespace onnx2ir::frontend
