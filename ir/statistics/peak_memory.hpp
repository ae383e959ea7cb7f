// The memory that the values of a graph need at the same time.
#pragma once

#include <optional>
#include <unordered_set>

#include "ir/graph.hpp"
#include "ir/statistics/statistics.hpp"

namespace onnx2ir::ir {

/// The peak if each layer runs in the order of the nodes, each value is kept from its layer to the last layer
/// that reads it, and Reshape, Squeeze and Unsqueeze share the memory of their inputs. `constants` need no
/// memory here. No value if a size is dynamic.
std::optional<Peak> peak_memory(Graph& graph, const std::unordered_set<const Node*>& constants);

}  // namespace onnx2ir::ir
