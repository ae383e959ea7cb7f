// Probabilities of classes from pairwise decisions.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// `decisions` [samples, pairs] are for the classes (0, 1), (0, 2) ... (1, 2) ...; the probability of a
/// decision is 1 / (1 + exp(a * decision + b)). Returns the probabilities of the classes: [samples, classes].
Value couple_probabilities(NodeContext& node, Value decisions, const std::vector<double>& a,
                           const std::vector<double>& b, std::int64_t classes);

}  // namespace onnx2ir::frontend
