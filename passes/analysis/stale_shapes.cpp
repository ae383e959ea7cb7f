#include "passes/analysis/stale_shapes.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reduction.hpp"
#include "ir/views/reshaping.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `value` is computed from constants and the shape of `data` alone, in a few steps.
bool follows_from_shape(ir::Value value, ir::Value data) {
  constexpr std::size_t kMaxSteps = 32;
  std::vector<ir::Value> pending{value};
  for (std::size_t step = 0; !pending.empty(); ++step) {
    if (step == kMaxSteps) return false;
    const ir::Node& node = *pending.back().node;
    pending.pop_back();
    if (node.constant() != nullptr || (node.is(ops::ShapeOf) && ir::ShapeOfView(node).data() == data))
      continue;
    if (node.inputs().empty() || node.op().traits.has_bodies) return false;
    pending.insert(pending.end(), node.inputs().begin(), node.inputs().end());
  }
  return true;
}

/// Whether all lengths of a VariadicSplit are the same number, so that the size of the axis decides them.
bool has_equal_lengths(ir::Value lengths) {
  const auto concat = ir::match<ir::ConcatView>(lengths);
  if (!concat) return false;
  const ir::Value first = concat->parts().front();
  return first.shape().element_count() == 1 &&
         std::ranges::all_of(concat->parts(), [&](ir::Value part) { return part == first; });
}

/// The axis of a VariadicSplit or TopK, if it is known.
std::optional<std::size_t> axis_of(const ir::Node& node) {
  const std::size_t rank = node.input(0).shape().rank();
  if (const auto top = ir::match<ir::TopKView>(node)) return ir::normalize_axis(top->axis(), rank);
  const auto known = ir::exact_values(ir::VariadicSplitView(node).axis());
  if (!known || known->size() != 1) return std::nullopt;
  return ir::normalize_axis(known->front(), rank);
}

/// The axes of the data whose number of repeats is not known.
std::vector<std::size_t> repeated_axes(ir::TileView tile) {
  const std::size_t rank = tile.data().shape().rank();
  const std::size_t count = tile.repeats().shape().element_count().value_or(0);
  std::vector<std::size_t> axes;
  for (std::size_t back = 1; back <= std::min(rank, count); ++back) {
    if (!ir::known_element(tile.repeats(), count - back)) axes.push_back(rank - back);
  }
  return axes;
}

}  // namespace

bool may_keep_stale_shape(const ir::Node& node) {
  if (!node.is_one_of({ops::VariadicSplit, ops::Tile, ops::TopK})) return false;
  const ir::Value data = node.input(0);
  if (!data.shape().has_rank() || data.shape().is_static()) return false;
  const ir::Value parameter = node.inputs().back();
  if (ir::exact_values(parameter) || follows_from_shape(parameter, data)) return false;
  if (node.is(ops::VariadicSplit) && has_equal_lengths(parameter)) return false;
  if (node.is(ops::Tile))
    return std::ranges::any_of(repeated_axes(node),
                               [&](std::size_t axis) { return ir::may_be_empty_beside(data.shape(), axis); });
  const auto axis = axis_of(node);
  return axis && may_be_empty_beside(data.shape(), *axis);
}

}  // namespace onnx2ir::passes
