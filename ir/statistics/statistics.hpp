// Counts of a graph: layers, weights, arithmetic and the memory of activations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.hpp"
#include "ir/statistics/layer_cost.hpp"

namespace onnx2ir::ir {

/// The layers of one type.
struct LayerCounts {
  std::uint64_t layers = 0;
  std::uint64_t in_bodies = 0;
  LayerCost cost;                   ///< in one inference
  std::uint64_t without_sizes = 0;  ///< layers whose cost depends on a dynamic size
};

/// The constants of one element type; those with the same bytes count once.
struct ConstantCounts {
  std::uint64_t constants = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

/// The largest sum of the sizes of values that are in use at the same time.
struct Peak {
  std::uint64_t bytes = 0;
  std::string layer;  ///< the path of the layer that runs then
};

struct Statistics {
  std::map<std::string_view, LayerCounts> layers;  ///< by type
  std::map<ElementType, ConstantCounts> constants;
  std::uint64_t open_loops = 0;  ///< loops of which one iteration is counted
  std::optional<Peak> peak;      ///< no value if a size is dynamic
};

/// Values that are computed from constants alone cost nothing, because the runtime computes them once.
Statistics statistics_of(Model& model);

/// The number of nodes in `graph` and in the bodies of its nodes.
std::size_t node_count(const Graph& graph);

/// Whether the elements of a constant of this type are parameters of a model: not integers of more than 8
/// bits, which are sizes and indices.
bool holds_parameters(ElementType type);

}  // namespace onnx2ir::ir
