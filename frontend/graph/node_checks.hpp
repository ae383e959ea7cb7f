// Checks the types of a node's inputs before its translation, and which inputs and attributes have been read
// after it.
#pragma once

#include <span>

#include "frontend/graph/node_context.hpp"
#include "frontend/graph/translator_table.hpp"
#include "frontend/reader/schemas.hpp"

namespace onnx2ir::frontend {

/// Checks the types of a node's inputs against the operator's schema. `types`: of find_input_types() for the
/// node.
/// Throws Failure (invalid_node) if an input has a kind of type (floating, integer, boolean, string) that no
/// version of the operator accepts, or if inputs that must have the same type differ in it. Integers of
/// another width are accepted, and so are types that a later version added: their meaning is clear.
void check_input_types(const NodeContext& node, std::span<const InputType> types);

/// Throws Failure (cannot_convert) if the node has an input after all inputs that its translator has asked
/// for. Later releases of onnxruntime add inputs to their operators, which have no schemas here.
void refuse_unread_inputs(const NodeContext& node);

/// Warns about each attribute that the translator of `row` has not read, if the row does not list it: it has
/// no effect. The ONNX library has no schemas of onnxruntime's operators, so the reader cannot check their
/// attributes.
void warn_about_unread_attributes(const TranslatorRow& row, NodeContext& node);

}  // namespace onnx2ir::frontend
