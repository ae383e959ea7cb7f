// Recurrent cells over sequences: LSTMSequence, GRUSequence, RNNSequence.
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"

namespace onnx2ir::ir {
namespace {

/// Checks W, R and B, inputs `first` to `first` + 2, against X, the directions and the hidden size. The
/// number of gates is not checked, because B differs between operations (in GRU it has more rows).
void check_weights(const Node& node, std::size_t first, std::int64_t directions, Dimension hidden) {
  const ElementType type = node.input(0).type();
  for (std::size_t i = first; i < first + 3; ++i) {
    require(node.input(i).type() == type, "the weights of a sequence must have the type of its input");
  }
  const PartialShape& x = node.input(0).shape();
  const PartialShape& w = node.input(first).shape();
  const PartialShape& r = node.input(first + 1).shape();
  const auto check = [&](const PartialShape& weights, Dimension columns, const char* name) {
    if (!weights.has_rank()) return;
    const bool fits =
        weights[0].admits(directions) && (columns.is_dynamic() || weights[2].admits(columns.size()));
    if (!fits) {
      invalid(std::string(name) + " of shape " + to_string(weights) + " does not fit " +
              std::to_string(directions) + " directions and " + to_string(columns) + " columns");
    }
  };
  check(w, dimension_along(x, 2), "W");
  check(r, hidden, "R");
  if (w.has_rank() && r.has_rank()) {
    require(intersect(w[1], r[1]).has_value(), "W and R differ in their number of rows");
  }
}

/// Inputs: X [batch, steps, input], `states` initial states [batch, directions, hidden], lengths [batch], W,
/// R, B. Outputs: Y [batch, directions, steps, hidden], then the final states.
template <std::size_t states>
void infer_sequence(Node& node) {
  const ElementType type = same_type(node, 0, states + 1);
  require(is_integral(node.input(states + 1).type()), "the sequence lengths must be integers");
  const PartialShape& x = node.input(0).shape();
  const std::int64_t directions = node.text("direction") == "bidirectional" ? 2 : 1;
  const Dimension hidden = node.integer("hidden_size");
  Dimension batch = dimension_along(x, 0);
  for (std::size_t i = 1; i <= states; ++i) {
    const PartialShape& state = node.input(i).shape();
    batch =
        common_dimension(batch, dimension_along(state, 0), "input and initial state differ in batch size");
  }
  const PartialShape& lengths = node.input(states + 1).shape();
  batch =
      common_dimension(batch, dimension_along(lengths, 0), "input and sequence lengths differ in batch size");
  check_weights(node, states + 2, directions, hidden);
  set_output(node, 0, type, PartialShape{batch, directions, dimension_along(x, 1), hidden});
  for (std::size_t i = 1; i <= states; ++i)
    set_output(node, i, type, PartialShape{batch, directions, hidden});
}

}  // namespace

std::vector<OpFunction> recurrent_functions() {
  return {
      {ops::LSTMSequence, infer_sequence<2>},
      {{ops::GRUSequence, ops::RNNSequence}, infer_sequence<1>},
  };
}

}  // namespace onnx2ir::ir
