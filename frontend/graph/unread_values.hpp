// Values of a branch that nobody reads when the branch is taken.
#pragma once

#include <string_view>

#include "frontend/graph/graph_translator.hpp"

namespace onnx2ir::frontend {

/// Whether output `index` of `node`, the If at work in `scope`, is never read when its branch `attribute` was
/// taken: all that would read it stands in branches of other Ifs, whose conditions exclude that. Exporters
/// write a `break` so: one branch gives values that only stand in for something.
bool is_never_read(const GraphTranslator& scope, const onnx::NodeProto& node, std::string_view attribute,
                   int index);

}  // namespace onnx2ir::frontend
