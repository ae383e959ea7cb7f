// The arithmetic of one layer: the formulas of docs/stats.md.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

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

}  // namespace onnx2ir::ir
