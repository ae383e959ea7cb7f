#include "frontend/translators/org_openvinotoolkit/rows.hpp"

namespace onnx2ir::frontend {

std::vector<TranslatorRow> openvino_rows(std::span<const TranslatorRow> rows) {
  std::vector<TranslatorRow> result;
  result.reserve(2 * rows.size());
  for (TranslatorRow row : rows) {
    for (const std::string_view domain : {kOpenvino, std::string_view()}) {
      row.domain = domain;
      result.push_back(row);
    }
  }
  return result;
}

}  // namespace onnx2ir::frontend
