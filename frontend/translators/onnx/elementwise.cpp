// Arithmetic, comparison and logic, element by element.
#include "frontend/translators/families.hpp"

namespace onnx2ir::frontend {
namespace {

/// Add 7, 13, 14: numpy broadcasting; the versions differ in element types only.
Values add_7(NodeContext& node) {
  return {node.op("Add", {node.input(0), node.input(1)})};
}

}  // namespace

std::vector<TranslatorRow> elementwise_translators() {
  return {
      {"Add", 7, add_7},
  };
}

}  // namespace onnx2ir::frontend
