// The table of supported operators, created from the translators' rows and ONNX's schemas.
#include "frontend/operator_table.hpp"

#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {

std::vector<OperatorInfo> supported_operators() {
  std::vector<OperatorInfo> table;
  for (frontend::OperatorRow& row : frontend::operator_table()) {
    table.push_back({std::move(row.domain), std::move(row.name), std::move(row.versions),
                     row.has_translator ? "translator" : "function body", std::move(row.limits)});
  }
  return table;
}

}  // namespace onnx2ir
