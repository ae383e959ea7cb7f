#include "passes/fused_reader.hpp"

namespace onnx2ir::passes {
namespace {

/// The only operation that reads `value`; null if there are several.
ir::Node* only_reader(ir::Value value) {
  const auto& uses = value.node->output(value.index).uses;
  return uses.size() == 1 ? uses.front().node : nullptr;
}

}  // namespace

ir::Node* fused_reader(ir::Value value) {
  ir::Node* reader = only_reader(value);
  while (reader != nullptr && (reader->op().traits.reshapes || reader->op().traits.rearranges)) {
    reader = only_reader(reader->value());
  }
  if (reader == nullptr) return nullptr;
  const ir::Traits& traits = reader->op().traits;
  const bool is_elementwise = traits.broadcasts || traits.keeps_shape;
  return is_elementwise && !traits.is_kept ? reader : nullptr;
}

}  // namespace onnx2ir::passes
