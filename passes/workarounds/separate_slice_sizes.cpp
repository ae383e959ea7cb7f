// Workaround for sliced_size: OpenVINO takes a Slice to be as long as the whole axis if both sizes have the
// same bounds, such as 0 to 15, although start or end is known only at run time. It then computes each of
// the two sizes from the other one. Here the sizes of the data are hidden by a Reshape, so that they have no
// upper bound, and a Reshape gives the result its static sizes again. A Reshape from a vector to a vector
// would be removed, so a vector is sliced as a column.

#include "ir/inference.hpp"
#include "ir/size_expression.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/known_shape.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

bool is_affected(ir::SliceView slice) {
  const ir::Value data = slice.data();
  const ir::PartialShape& result = slice.output(0).shape;
  const auto axes = ir::exact_values(slice.axes());
  // Strings are moved by Gather.
  if (!axes || !data.shape().has_rank() || data.type() == ir::ElementType::string) return false;
  // guard_zero_iterations takes all rows or none. A ShapeOf of these rows would be worse: without iterations
  // they have size 0, and OpenVINO would compute the sizes of captured values from it.
  if (data.node->is(ops::Loop)) return false;
  // If both ends are constant, sizes of the same bounds are equal.
  if (ir::exact_values(slice.start()) && ir::exact_values(slice.stop())) return false;
  for (const std::int64_t listed : *axes) {
    const std::size_t axis = ir::normalize_axis(listed, data.shape().rank());
    const ir::Dimension& size = data.shape()[axis];
    const ir::Dimension& part = result[axis];
    if (has_bounds(size) && size.min == part.min && size.max == part.max &&
        (size.expression() == nullptr || size.expression() != part.expression()))
      return true;
  }
  return false;
}

ir::Value separate_sizes(ir::Builder& builder, ir::SliceView slice) {
  const std::size_t rank = slice.data().shape().rank();
  const ir::Value data = rank == 1 ? ir::unsqueeze(builder, slice.data(), {1}) : slice.data();
  const ir::Value sizes = hide_elements(builder, ir::compute_shape_of(builder, data), data.shape().rank());
  const ir::Value hidden = ir::reshape(builder, data, sizes);
  const ir::Value copy = builder.op(ops::Slice, {hidden, slice.start(), slice.stop(), slice.step(),
                                                 rank == 1 ? builder.integers({0}) : slice.axes()});
  if (rank == 1) return ir::flatten(builder, copy);
  return reshape_to_static_sizes(builder, copy, slice.output(0).shape);
}

}  // namespace

Workaround separate_slice_sizes() {
  return {.stage = Stage::kernels,
          .summary = "Hides the bounds of sizes that OpenVINO takes for those of a Slice",
          .rows = {row<is_affected, separate_sizes>(Fault::sliced_size, {ops::Slice})}};
}

}  // namespace onnx2ir::passes
