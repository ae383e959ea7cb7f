#include "frontend/translators/all_translators.hpp"

#include "frontend/translators/families.hpp"

namespace onnx2ir::frontend {

const TranslatorTable& translator_table() {
  static const TranslatorTable table(kTranslatorFamilies);
  return table;
}

}  // namespace onnx2ir::frontend
