// Counts of a graph: layers, weights, arithmetic and the memory of activations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// The arithmetic of layers: the formulas of docs/stats.md.
struct LayerCost {
  std::uint64_t multiply_adds = 0;
  std::uint64_t flops = 0;  ///< a multiply-add counts as two
};

/// Adds a cost `times` times; the largest number instead of an overflow.
void add(LayerCost& sum, const LayerCost& cost, std::uint64_t times = 1);

/// a * b and a + b; the largest number instead of an overflow.
std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b);
std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b);

/// The arithmetic of `node` without that of its bodies; no value if it depends on a dynamic size.
std::optional<LayerCost> cost_of(const Node& node);

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

/// The peak if each layer runs in the order of the nodes, each value is kept from its layer to the last layer
/// that reads it, and Reshape, Squeeze and Unsqueeze share the memory of their inputs. `constants` need no
/// memory here. No value if a size is dynamic.
std::optional<Peak> peak_memory(Graph& graph, const std::unordered_set<const Node*>& constants);

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
