// Replaces a Transpose that only moves axes of size 1 by a Reshape to sizes that are known only at run time.
// OpenVINO itself replaces it by a Reshape in which a size of 0 means "the input's size at this position":
// that fails or reads out of bounds if another size is 0 (measured on 2026.4, tests/faults).
#include <algorithm>

#include "ir/views/reshaping.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether a dynamic size that may be 0 changes its position.
bool may_move_empty_dimension(const ir::PartialShape& shape, const ir::Integers& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ir::Dimension& size = shape[static_cast<std::size_t>(order[i])];
    if (order[i] != static_cast<std::int64_t>(i) && size.min == 0 && size.max != 0) return true;
  }
  return false;
}

bool is_affected(ir::TransposeView transpose) {
  const ir::Value data = transpose.data();
  if (!data.shape().has(1)) return false;
  const auto order = ir::exact_order(transpose);
  return order && data.shape().has_rank() && data.type() != ir::ElementType::string &&
         moves_only_unit_axes(transpose) && may_move_empty_dimension(data.shape(), *order);
}

ir::Value reshape_transpose(ir::Builder& builder, ir::TransposeView transpose) {
  const ir::Value data = transpose.data();
  const auto order = ir::exact_order(transpose);
  const ir::Value sizes = ir::shape_of(builder, data);
  return ir::reshape(builder, data, ir::gather(builder, sizes, builder.integers(*order)));
}

}  // namespace

Workaround reshape_unit_transposes() {
  return {.stage = Stage::kernels,
          .summary = "Replaces Transposes that move only axes of size 1 by Reshapes",
          .rows = {row<is_affected, reshape_transpose>(Fault::empty_unit_transpose, {ops::Transpose})}};
}

}  // namespace onnx2ir::passes
