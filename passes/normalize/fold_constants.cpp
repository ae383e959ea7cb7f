// Replaces small tensors whose elements inference knows, and empty tensors, by constants. (The CPU plugin
// crashes on some operations on empty tensors, such as Gather and pooling.) A new constant may make more
// values known, also in bodies that capture it: the pipeline moves it there and runs this pass again.
#include "passes/analysis/foldable.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool fold(ir::Node& node) {
  bool modified = false;
  for (std::size_t index = 0; index < node.outputs().size(); ++index) {
    const ir::Value value = node.value(index);
    const auto data = foldable_elements(value);
    if (!data) continue;
    ir::Builder builder = ir::builder_beside(node);
    ir::replace_all_uses(value, builder.constant(value.type(), *value.shape().sizes(), *data));
    modified = true;
  }
  return modified;
}

}  // namespace

bool fold_constants(ir::Model& model, PassContext&) {
  return edit_each(graphs_of(model), [](ir::Graph* graph) { return edit_present_nodes(*graph, fold); });
}

}  // namespace onnx2ir::passes
