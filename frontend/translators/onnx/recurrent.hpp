// Shared by LSTM, GRU and RNN: their inputs in one layout, their activations, and a Loop over the steps for
// each direction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

struct Activation {
  std::string name;
  std::optional<double> alpha;
  std::optional<double> beta;
};

/// Multiplies by the quantised weights of a direction, which are emitted beside the product. Null functions:
/// the weights are not quantised.
struct QuantizedProducts {
  using Multiply = std::function<Value(Builder& builder, Value numbers, std::int64_t direction)>;
  Multiply by_w;  ///< X * W^T
  Multiply by_r;  ///< H * R^T
};

/// A recurrent node in one layout: X [steps, batch, input], states [directions, batch, hidden].
struct Cell {
  Value x;
  Value w;       ///< [directions, gates * hidden, input]
  Value r;       ///< [directions, gates * hidden, hidden]
  Value w_bias;  ///< [directions, gates * hidden]
  Value r_bias;
  Value lengths;  ///< i32 [batch]; null if all steps are valid
  Values initial;
  Value peepholes;  ///< [directions, 3 * hidden]; null without peepholes
  std::int64_t gates;
  std::int64_t hidden;
  std::int64_t directions;
  std::string direction;
  std::vector<Activation> activations;  ///< per direction
  double clip;
  bool batch_first;
  QuantizedProducts products;  ///< instead of those with `w` and `r`
};

/// Reads a node with `gates` gates and `states` states; `defaults` are the activations of one direction.
Cell read_cell(NodeContext& node, std::int64_t gates, std::size_t states,
               const std::vector<std::string>& defaults);

/// Applies the activation to `value`; fails if ONNX has no activation of that name.
Value activate(NodeContext& node, Builder& builder, const Activation& activation, Value value);

/// Reorders the gates: blocks of `hidden` along axis 1.
Value reorder_gates(NodeContext& node, const Cell& cell, Value value, const std::vector<std::int64_t>& order);

/// `value` clipped to the cell's bounds.
Value clip_value(Builder& body, const Cell& cell, Value value);

/// Block `index` of `hidden` columns.
Value take_gate(Builder& body, const Cell& cell, Value value, std::int64_t index);

/// The inputs of a step, as values of the body.
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

/// LSTM of any version, with the attributes and the inputs of `node`. With `products`, a Loop over the steps
/// computes it: the weights W and R (inputs 1 and 2) give the sizes only.
Values translate_lstm(NodeContext& node, const QuantizedProducts& products);

}  // namespace onnx2ir::frontend
