// LSTM, GRU and RNN as a Loop over the steps for each direction.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "frontend/translators/onnx/recurrent_cell.hpp"

namespace onnx2ir::frontend {

/// What a step reads, as values of the body.
struct StepValues {
  Value x;        ///< X_t * W^T + w_bias
  Values states;  ///< [batch, hidden]
  Value r;        ///< [gates * hidden, hidden]; null if the products are quantised
  Value r_bias;
  Value peepholes;  ///< null without peepholes
  std::span<const Activation> activations;
  std::int64_t direction;
};

/// Emits one step: the next states. The first one is also the row of Y.
using Step = std::function<Values(Builder& body, const StepValues& values)>;

/// Y [steps, directions, batch, hidden] and the final states [directions, batch, hidden].
Values run_in_loops(NodeContext& node, const Cell& cell, const Step& step);

/// The number of steps for each sequence of a batch: i32 [batch].
Value emit_all_steps(NodeContext& node, const Cell& cell);

/// A final state; zeros for the sequences without steps, as in onnxruntime. `axes`: those of the state but
/// the batch.
Value zero_without_steps(NodeContext& node, Value lengths, Value state,
                         const std::vector<std::int64_t>& axes);

}  // namespace onnx2ir::frontend
