// What is converted, as a table: made from the translators' rows and ONNX's schemas, for documentation and
// --list-ops.
#pragma once

#include <string>
#include <vector>

namespace onnx2ir::frontend {

struct OperatorRow {
  std::string domain;
  std::string name;
  std::vector<int> versions;  ///< all that ONNX defines, oldest first
  bool has_translator;        ///< else it is expanded through its function body
  std::string limits;
};

/// All operators with a translator or a function body, sorted by domain and name. Makes every schema ONNX
/// has.
std::vector<OperatorRow> operator_table();

}  // namespace onnx2ir::frontend
