// Warns about attributes that have no effect. The ONNX library has no schemas of onnxruntime's operators, so
// the reader cannot check their attributes.
#pragma once

#include "frontend/graph/node_context.hpp"
#include "frontend/graph/translator_table.hpp"

namespace onnx2ir::frontend {

/// Warns about each attribute that the translator of `row` has not read, if the row does not list it.
void warn_about_unread_attributes(const TranslatorRow& row, NodeContext& node);

}  // namespace onnx2ir::frontend
