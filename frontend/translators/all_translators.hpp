// The table of all operators that are converted.
#pragma once

#include "frontend/graph/translator_table.hpp"
#include "frontend/translators/families.hpp"

namespace onnx2ir::frontend {

/// The rows of all families.
inline const TranslatorTable& translator_table() {
  static const TranslatorTable table(kTranslatorFamilies);
  return table;
}

}  // namespace onnx2ir::frontend
