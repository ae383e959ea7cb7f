// The CPU plugin fuses the elementwise operations that follow a convolution or a product with constant
// weights. oneDNN takes at most 32 of them; if there are more, the model does not compile. An operation that
// reads its operand twice ends the chain.
#include "passes/fused_reader.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"
#include "passes/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kFusing = {ops::MatMul, ops::Convolution, ops::GroupConvolution,
                                      ops::ConvolutionBackpropData, ops::GroupConvolutionBackpropData};
/// Leaves room for operations that the plugin adds, such as scales of quantised weights.
constexpr std::size_t kMostFused = 24;

bool limit_chain(ir::Builder& builder, ir::Node& source) {
  ir::Value value = source.value();
  for (std::size_t count = 0; ir::Node* const reader = fused_reader(value); ++count) {
    if (count < kMostFused) {
      value = reader->value();
      continue;
    }
    builder.set_name(value.node->name);
    const ir::Value copy = opaque_copy(builder, value);
    ir::replace_uses_except(value, copy, *copy.node);
    return true;
  }
  return false;
}

}  // namespace

bool limit_fused_chains(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    if (!graph->may_hold(kFusing)) continue;
    ir::Builder builder(*graph);
    const std::size_t count = graph->nodes().size();
    for (std::size_t i = 0; i < count; ++i) {
      ir::Node& node = *graph->nodes()[i];
      if (node.is_one_of(kFusing)) modified = limit_chain(builder, node) || modified;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
