// The table of all operators that are converted.
#pragma once

#include "frontend/graph/translator_table.hpp"

namespace onnx2ir::frontend {

/// The rows of all families.
const TranslatorTable& translator_table();

}  // namespace onnx2ir::frontend
