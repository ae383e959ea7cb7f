// The operator table: which ONNX operators are converted, from which version on, by which function.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/translators/context.hpp"

namespace onnx2ir::frontend {

/// Most translators give tensors; those of sequences, optionals and control flow give operands of any kind.
using TensorTranslator = Values (*)(NodeContext&);
using OperandTranslator = Operands (*)(NodeContext&);

/// One row. The row with the highest `since` not above the imported opset wins.
struct TranslatorRow {
  std::string_view name;
  int since;
  std::variant<TensorTranslator, OperandTranslator> translate;
  /// What is not converted, for the documentation; empty when nothing is known.
  std::string_view limits = {};
  std::string_view domain = {};
};

/// The row for an operator, null when it has none.
const TranslatorRow* find_translator(std::string_view domain, std::string_view name, std::int64_t opset);
/// All rows, sorted by domain, name and version.
std::span<const TranslatorRow> all_translators();

}  // namespace onnx2ir::frontend
