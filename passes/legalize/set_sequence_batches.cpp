// Workaround for constant_initial_state: LSTMSequence, GRUSequence and RNNSequence with constant initial
// states do not compile if the batch of the data is dynamic. The states give the size of the batch; here the
// data get it by a Reshape.
#include <cstdint>
#include <vector>

#include "ir/shape_tools.hpp"
#include "passes/constant_values.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kSequences{ops::LSTMSequence, ops::GRUSequence, ops::RNNSequence};

bool is_affected(const ir::Node& sequence) {
  const ir::PartialShape& data = sequence.input(0).shape();
  const ir::Value state = sequence.input(1);
  return data.has_rank() && data[0].is_dynamic() && state.shape().has_rank() && state.shape()[0].size() > 0 &&
         is_folded(state);
}

}  // namespace

bool set_sequence_batches(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    if (!graph->may_hold(kSequences)) continue;
    ir::Builder builder(*graph);
    const std::size_t count = graph->nodes().size();
    for (std::size_t i = 0; i < count; ++i) {
      ir::Node& node = *graph->nodes()[i];
      if (!node.is_one_of(kSequences) || !is_affected(node)) continue;
      builder.set_name(node.name);
      const std::vector<std::int64_t> sizes{node.input(1).shape()[0].size(), 0, 0};
      node.set_input(0, ir::reshape_keeping(builder, node.input(0), sizes));
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
