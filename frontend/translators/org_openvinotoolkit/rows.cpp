#include "frontend/translators/org_openvinotoolkit/rows.hpp"

namespace onnx2ir::frontend {

Values take_inputs(const NodeContext& node, std::size_t count) {
  Values inputs;
  for (std::size_t i = 0; i < count; ++i) inputs.push_back(node.input(i));
  return inputs;
}

std::vector<TranslatorRow> openvino_rows(std::vector<TranslatorRow> rows) {
  const std::size_t count = rows.size();
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back(rows[i]);
    rows.back().domain = kOpenvino;
  }
  return rows;
}

}  // namespace onnx2ir::frontend
