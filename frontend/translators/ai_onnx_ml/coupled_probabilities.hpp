// Probabilities of classes from decisions between each two of them.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// From `decisions` [samples, pairs] of classes (0, 1), (0, 2) ... (1, 2) ..., whose probabilities are
/// 1 / (1 + exp(a * decision + b)), those of the classes: [samples, classes].
Value coupled_probabilities(NodeContext& node, Value decisions, const std::vector<double>& a,
                            const std::vector<double>& b, std::int64_t classes);

}  // namespace onnx2ir::frontend
