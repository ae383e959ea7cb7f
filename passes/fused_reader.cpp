#include "passes/fused_reader.hpp"

namespace onnx2ir::passes {
namespace {

/// The only operation that reads output 0 of `node`; null if there are several.
ir::Node* only_reader(const ir::Node& node) {
  const auto& uses = node.output(0).uses;
  return uses.size() == 1 ? uses.front().node : nullptr;
}

}  // namespace

ir::Node* fused_reader(const ir::Node& node) {
  ir::Node* reader = only_reader(node);
  while (reader != nullptr && (reader->op().traits.reshapes || reader->op().traits.rearranges)) {
    reader = only_reader(*reader);
  }
  if (reader == nullptr) return nullptr;
  const ir::Traits& traits = reader->op().traits;
  const bool is_elementwise = traits.broadcasts || traits.keeps_shape;
  return is_elementwise && !traits.is_kept ? reader : nullptr;
}

}  // namespace onnx2ir::passes
