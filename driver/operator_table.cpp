// The table of supported operators, made from the translators' own rows, ONNX's schemas and the backend
// suite's results.
#include "frontend/operator_table.hpp"

#include <algorithm>

#include "driver/suite_table.hpp"
#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

SuiteResults suite_results(const frontend::OperatorRow& row) {
  const std::string name = row.domain.empty() ? row.name : row.domain + "." + row.name;
  const auto rows = suite_table();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const SuiteRow& one) { return one.name == name; });
  return found == rows.end() ? SuiteResults{} : found->results;
}

}  // namespace

std::vector<OperatorInfo> supported_operators() {
  std::vector<OperatorInfo> table;
  for (frontend::OperatorRow& row : frontend::operator_table()) {
    const SuiteResults suite = suite_results(row);
    table.push_back({std::move(row.domain), std::move(row.name), std::move(row.versions),
                     row.has_translator ? "translator" : "function body", std::move(row.limits), suite});
  }
  return table;
}

}  // namespace onnx2ir
