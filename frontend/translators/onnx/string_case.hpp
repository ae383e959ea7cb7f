// Upper and lower case of strings.
#pragma once

#include "frontend/graph/node_context.hpp"
#include "frontend/strings/letter_case.hpp"

namespace onnx2ir::frontend {

/// Converts each letter of the strings to that case.
Value convert_case(NodeContext& node, Value texts, LetterCase to);

}  // namespace onnx2ir::frontend
