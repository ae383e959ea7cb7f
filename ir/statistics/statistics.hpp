// Counts of a graph: layers, weights, arithmetic and the memory of activations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <onnx2ir/statistics.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// The arithmetic of layers: the formulas of docs/stats.md.
struct LayerCost {
  std::uint64_t multiply_adds = 0;
  std::uint64_t flops = 0;  ///< a multiply-add counts as two
};

/// a * b and a + b; the largest number instead of an overflow.
std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b);
std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b);

/// The arithmetic of `node` without that of its bodies; no value if it depends on a dynamic size.
std::optional<LayerCost> cost_of(const Node& node);

/// By type: "Conv", "com.microsoft.Attention"; of layers "Convolution". The types in the counts are empty.
using OperatorCounts = std::map<std::string, OperatorCount, std::less<>>;

/// Counts the constants of a model.
class ConstantCounter {
 public:
  /// `type`: an element type, as the counts call it.
  void add(std::string_view type, std::uint64_t elements, std::uint64_t bytes, bool holds_parameters);

  /// The counts of a graph with these operators and constants.
  GraphCounts counts_with(const OperatorCounts& operators) const;

 private:
  std::map<std::string, WeightCount> by_type_;
  std::uint64_t parameters_ = 0;
};

struct Statistics {
  GraphCounts counts;
  Costs costs;
};

/// Values that are computed from constants alone cost nothing, because the runtime computes them once.
Statistics statistics_of(Model& model);

/// The number of nodes in `graph` and in the bodies of its nodes.
std::size_t node_count(const Graph& graph);

/// Whether the elements of a constant of this type are parameters of a model: not integers of more than 8
/// bits, which are sizes and indices.
bool holds_parameters(ElementType type);

}  // namespace onnx2ir::ir
