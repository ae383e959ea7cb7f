// Operators that the caller's options convert: by a rule, by a library, or to a layer of an extension. Rules
// and libraries take precedence over the table of translators.
#pragma once

#include "frontend/graph/operand.hpp"

namespace onnx2ir::frontend {

class NodeContext;
struct ExtensionTranslator;
struct OperatorRule;

/// Emits the operation to which a rule of the caller (Options::operator_map) converts the node. Fails if the
/// operation rejects the node's inputs or attributes.
Operands map_operator(NodeContext& node, const OperatorRule& rule);

/// Calls the translator of a library of the user (Options::extensions). Its errors and exceptions become
/// errors of the node.
Operands call_extension(NodeContext& node, const ExtensionTranslator& translator);

/// Emits the node as a layer of the same type, with its attributes as texts and with the output types that
/// the model declares (Options::keep_unknown): the program that runs the IR registers an extension of
/// OpenVINO. Fails if the layer cannot have an attribute, or if an element type is not declared.
Operands keep_operator(NodeContext& node);

}  // namespace onnx2ir::frontend
