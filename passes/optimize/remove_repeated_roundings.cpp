// Quantisers round the results of operations that only move elements: FakeQuantize, Reshape, FakeQuantize,
// Transpose, FakeQuantize with the same bounds. The second one and the third one change nothing.
#include <algorithm>
#include <cstddef>

#include "ir/element_moves.hpp"
#include "ir/views/quantization.hpp"
#include "passes/analysis/fake_quantize.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The most operations before a FakeQuantize that are examined.
constexpr std::size_t kMostSteps = 16;

/// Whether all elements of `value` are numbers of `grid`: results of FakeQuantize, moved and joined only.
bool is_on_grid(ir::Value value, const Grid& grid, std::size_t& steps) {
  const ir::Node& node = *value.node;
  if (++steps > kMostSteps) return false;
  if (const auto rounded = ir::match<ir::FakeQuantizeView>(node)) return grid_of(*rounded) == grid;
  if (node.is(ops::Concat)) {
    return std::ranges::all_of(node.inputs(), [&](ir::Value part) { return is_on_grid(part, grid, steps); });
  }
  const bool is_moved = node.is_one_of(ir::kElementMoves) || (node.is(ops::MaxPool) && value.index == 0);
  return is_moved && is_on_grid(node.input(0), grid, steps);
}

ir::Value remove(ir::Builder&, ir::FakeQuantizeView rounded) {
  const auto grid = keeps_bounds(rounded) ? grid_of(rounded) : std::nullopt;
  std::size_t steps = 0;
  return grid && is_on_grid(rounded.data(), *grid, steps) ? rounded.data() : ir::Value{};
}

}  // namespace

bool remove_repeated_roundings(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::FakeQuantize}, remove);
}

}  // namespace onnx2ir::passes
