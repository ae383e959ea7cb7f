// Outputs of an If that are unused whenever a certain branch is taken.
#pragma once

#include <string_view>

#include "frontend/graph/graph_translator.hpp"

namespace onnx2ir::frontend {

/// Whether output `index` of `node`, the current If in `scope`, is never used if its branch `attribute` was
/// taken: all uses are in branches of other Ifs whose conditions exclude that. Exporters translate `break`
/// like this: one branch returns placeholders.
///
/// This reads the model instead of the IR: values have no dynamic rank, so the output needs its type before
/// the nodes that compute those conditions are translated.
bool is_unused_if_taken(const GraphTranslator& scope, const onnx::NodeProto& node, std::string_view attribute,
                        int index);

}  // namespace onnx2ir::frontend
