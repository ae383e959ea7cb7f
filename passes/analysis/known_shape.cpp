#include "passes/analysis/known_shape.hpp"

#include <algorithm>

#include "ir/element_sizes.hpp"

namespace onnx2ir::passes {

ir::PartialShape known_shape(ir::Value value) {
  ir::PartialShape shape = value.shape();
  for (ir::Dimension& size : shape.mutable_dimensions()) {
    const auto known = ir::constant(size.expression());
    if (known && size.admits(*known)) size = ir::Dimension(*known);
  }
  return shape;
}

std::ptrdiff_t dynamic_dimensions(const ir::PartialShape& shape) {
  return shape.has_rank() ? std::ranges::count_if(shape, &ir::Dimension::is_dynamic) : 0;
}

bool has_bounds(const ir::Dimension& size) {
  return size.is_dynamic() && size.max != ir::Dimension::kUnbounded;
}

}  // namespace onnx2ir::passes
