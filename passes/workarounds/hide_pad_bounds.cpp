// Workaround for negative_run_time_pads: OpenVINO infers the smallest size of a padded axis as if dynamic
// pads were not negative, and the CPU plugin fails if they are. Here a GatherND, whose elements OpenVINO does
// not compute at compile time, hides the bounds of the pads. A Reshape gives the result its static sizes
// again.

#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
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

/// The input with pads that may be negative, 1 or 2, along an axis that has elements; 0 without such an
/// input.
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

}  // namespace

Workaround hide_pad_bounds() {
  return {.stage = Stage::kernels,
          .summary = "Hides the bounds of dynamic pads that may be negative",
          .rows = {row<shrinking_pads, hide_pads>(Fault::negative_run_time_pads, {ops::Pad})}};
}

}  // namespace onnx2ir::passes
