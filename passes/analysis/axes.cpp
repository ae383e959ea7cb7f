#include "passes/analysis/axes.hpp"

#include <algorithm>
#include <numeric>

#include "ir/inference.hpp"
#include "ir/known_values.hpp"
#include "ir/size_rules.hpp"

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

ir::PartialShape known_shape(ir::Value value) {
  ir::PartialShape shape = value.shape();
  for (ir::Dimension& size : shape.mutable_dimensions()) {
    const auto known = ir::constant(size.expression());
    if (known && size.admits(*known)) size = ir::Dimension(*known);
  }
  return shape;
}

bool keeps_size(ir::Value sizes, std::size_t index, ir::Value value, std::size_t axis) {
  if (ir::known_element(sizes, index) == 1 || ir::is_size_of(sizes, index, value, axis)) return true;
  const ir::Size size = ir::size_along(value, axis);
  return ir::are_equal(size, value.node->graph().sizes().broadcast(size, ir::size_in(sizes, index)));
}

std::ptrdiff_t dynamic_dimensions(const ir::PartialShape& shape) {
  return shape.has_rank() ? std::ranges::count_if(shape, &ir::Dimension::is_dynamic) : 0;
}

bool has_bounds(const ir::Dimension& size) {
  return size.is_dynamic() && size.max != ir::Dimension::kUnbounded;
}

}  // namespace onnx2ir::passes
