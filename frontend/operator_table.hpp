// The table of converted operators, created from the translators' rows and ONNX's schemas, for documentation
// and --list-ops.
#pragma once

#include <string>
#include <vector>

namespace onnx2ir::frontend {

struct OperatorRow {
  std::string domain;
  std::string name;
  std::vector<int> versions;  ///< all that ONNX defines, oldest first
  bool has_translator;        ///< otherwise it is expanded to its function body
  std::string limits;
};

/// All operators with a translator or a function body, sorted by domain and name. Creates all schemas of
/// ONNX.
std::vector<OperatorRow> operator_table();

}  // namespace onnx2ir::frontend
