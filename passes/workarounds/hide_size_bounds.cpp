// Workarounds for dynamic sizes and pads from whose bounds OpenVINO infers wrong bounds of a result. A
// GatherND, whose elements OpenVINO does not compute at compile time, hides the bounds. A Reshape gives the
// result its static sizes again.
#include "ir/inference.hpp"
#include "ir/size_expression.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/known_shape.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// The pads that bring a decoder's data to the size of the encoder's, n - 2 * floor(n / 2), are not negative.
bool may_shrink(ir::Value pads, std::size_t axis, const ir::ValueRange& pad) {
  if (pad.is_exact() || pad.min >= 0) return false;
  const ir::Size size = ir::size_in(pads, axis);
  return size == nullptr || size->least().value_or(-1) < 0;
}

/// Fault::negative_run_time_pads. OpenVINO infers the smallest size of a padded axis as if dynamic pads were
/// not negative, and the CPU plugin fails if they are. The result is the input with pads that may be
/// negative, 1 or 2, along an axis that has elements; 0 without such an input.
std::size_t shrinking_pads(ir::PadView pad) {
  const ir::PartialShape& shape = pad.data().shape();
  const auto begins = ir::known_values(pad.begins());
  const auto ends = ir::known_values(pad.ends());
  if (!shape.has_rank() || !begins || !ends) return 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].min == 0) continue;
    if (may_shrink(pad.begins(), axis, (*begins)[axis])) return 1;
    if (may_shrink(pad.ends(), axis, (*ends)[axis])) return 2;
  }
  return 0;
}

ir::Value hide_pads(ir::Builder& builder, ir::PadView pad) {
  const std::size_t index = shrinking_pads(pad);
  const ir::PartialShape known = pad.output(0).shape;
  const ir::Value pads = hide_elements(builder, pad.node().input(index), known.rank());
  return reshape_to_static_sizes(builder, ir::clone_with_input(builder, pad, index, pads), known);
}

/// Fault::sliced_size. OpenVINO takes a Slice to be as long as the whole axis if both sizes have the same
/// bounds, such as 0 to 15, although start or end is known only at run time. It then computes each of the two
/// sizes from the other one.
bool seems_to_take_all(ir::SliceView slice) {
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

/// A Reshape hides the sizes of the data, so that they have no upper bound. A Reshape from a vector to a
/// vector would be removed, so a vector is sliced as a column.
ir::Value hide_sliced_sizes(ir::Builder& builder, ir::SliceView slice) {
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

Workaround hide_size_bounds() {
  return {.stage = Stage::kernels,
          .summary = "Hides bounds of sizes and pads from which OpenVINO infers wrong sizes",
          .rows = {row<shrinking_pads, hide_pads>(Fault::negative_run_time_pads, {ops::Pad}),
                   row<seems_to_take_all, hide_sliced_sizes>(Fault::sliced_size, {ops::Slice})}};
}

}  // namespace onnx2ir::passes
