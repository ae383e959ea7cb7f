#include "passes/analysis/axes.hpp"

#include <algorithm>
#include <numeric>

#include "ir/inference.hpp"
#include "ir/known_values.hpp"

namespace onnx2ir::passes {

std::vector<std::int64_t> all_axes(std::size_t rank) {
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

std::optional<ir::Integers> sorted_axes(ir::Value list, std::size_t rank) {
  auto axes = ir::exact_values(list);
  if (!axes) return std::nullopt;
  for (std::int64_t& axis : *axes) axis = static_cast<std::int64_t>(ir::normalize_axis(axis, rank));
  std::ranges::sort(*axes);
  return axes;
}

std::size_t joined_axis(ir::ConcatView concat) {
  return ir::normalize_axis(concat.axis(), concat.output(0).shape.rank());
}

bool moves_only_unit_axes(ir::TransposeView transpose) {
  const ir::PartialShape& shape = transpose.data().shape();
  const auto order = ir::exact_order(transpose);
  if (!order || !shape.has_rank()) return false;
  std::vector<std::int64_t> others;
  for (const std::int64_t axis : *order) {
    if (shape[static_cast<std::size_t>(axis)] != ir::Dimension(1)) others.push_back(axis);
  }
  return std::ranges::is_sorted(others);
}

}  // namespace onnx2ir::passes
