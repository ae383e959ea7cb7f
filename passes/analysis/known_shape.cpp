#include "passes/analysis/known_shape.hpp"

#include <algorithm>
#include <optional>

#include "ir/size_expression.hpp"

namespace onnx2ir::passes {

ir::PartialShape known_shape(ir::Value value) {
  ir::PartialShape shape = value.shape();
  for (ir::Dimension& size : shape.mutable_dimensions()) {
    const ir::Size expression = size.expression();
    const auto known = expression == nullptr ? std::nullopt : expression->constant();
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
