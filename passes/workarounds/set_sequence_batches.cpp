// Workaround for constant_initial_state: LSTMSequence, GRUSequence and RNNSequence with constant initial
// states do not compile if the batch of the data is dynamic. The states give the size of the batch; here the
// data get it by a Reshape.
#include <cstdint>
#include <vector>

#include "ir/views/groups.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool is_affected(ir::AnyRecurrentView sequence) {
  const ir::PartialShape& data = sequence.data().shape();
  const ir::Value state = sequence.hidden_state();
  return data.has_rank() && data[0].is_dynamic() && state.shape().has_rank() && state.shape()[0].size() > 0 &&
         ir::is_computed_from_constants(state);
}

void set_batch(ir::Builder& builder, ir::Node& node) {
  const ir::AnyRecurrentView sequence = node;
  const std::vector<std::int64_t> sizes{sequence.hidden_state().shape()[0].size(), 0, 0};
  node.set_input(ir::AnyRecurrentView::Input::data, ir::reshape_keeping(builder, sequence.data(), sizes));
}

}  // namespace

Workaround set_sequence_batches() {
  return {.stage = Stage::kernels,
          .summary = "Gives the data of recurrent operations the batch size of their constant initial states",
          .rows = {row<is_affected, set_batch>(Fault::constant_initial_state, kSequences)}};
}

}  // namespace onnx2ir::passes
