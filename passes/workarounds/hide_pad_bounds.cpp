// Workaround for negative_run_time_pads: OpenVINO infers the smallest size of a padded axis as if dynamic
// pads were not negative, and the CPU plugin fails if they are. Here a GatherND, whose elements OpenVINO does
// not compute at compile time, hides the bounds of the pads. A Reshape gives the result its static sizes
// again.
#include <algorithm>
#include <vector>

#include "ir/shape_tools.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

bool may_shrink(const ir::ValueRange& pad) {
  return !pad.is_exact() && pad.min < 0;
}

/// The input with pads that may be negative, 1 or 2, along an axis that has elements; 0 without such an
/// input.
std::size_t shrinking_pads(const ir::Node& pad) {
  const ir::PartialShape& shape = pad.input(0).shape();
  const auto begins = ir::known_values(pad.input(1));
  const auto ends = ir::known_values(pad.input(2));
  if (!shape.has_rank() || !begins || !ends) return 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].min == 0) continue;
    if (may_shrink((*begins)[axis])) return 1;
    if (may_shrink((*ends)[axis])) return 2;
  }
  return 0;
}

ir::Value hidden(ir::Builder& builder, ir::Value list, std::size_t count) {
  std::vector<double> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = static_cast<double>(i);
  const std::int64_t shape[] = {static_cast<std::int64_t>(count), 1};
  const ir::Value indices = builder.numbers(places, shape, ir::ElementType::i64);
  return builder.op(ops::GatherND, {list, indices}, {{"batch_dims", 0}});
}

bool may_have_negative_pads(const ir::Node& pad) {
  return shrinking_pads(pad) != 0;
}

ir::Value with_hidden_pads(ir::Builder& builder, const ir::Node& pad) {
  const std::size_t index = shrinking_pads(pad);
  const ir::PartialShape known = pad.output(0).shape;
  std::vector<ir::Value> inputs(pad.inputs().begin(), pad.inputs().end());
  inputs[index] = hidden(builder, inputs[index], known.rank());
  const ir::Value padded = builder.op(ops::Pad, inputs, {{"pad_mode", pad.text("pad_mode")}});
  std::vector<std::int64_t> sizes(known.rank(), 0);
  for (std::size_t axis = 0; axis < known.rank(); ++axis)
    sizes[axis] = std::max<std::int64_t>(known[axis].size(), 0);
  const bool is_all_dynamic = std::ranges::all_of(sizes, [](std::int64_t size) { return size == 0; });
  return is_all_dynamic ? padded : ir::reshape_keeping(builder, padded, sizes);
}

}  // namespace

Workaround hide_pad_bounds() {
  return {.name = "hide_pad_bounds",
          .stage = Stage::kernels,
          .summary = "Hides the bounds of dynamic pads that may be negative",
          .rows = {LegalizationRow{
              Fault::negative_run_time_pads, {ops::Pad}, may_have_negative_pads, replace<with_hidden_pads>}}};
}

}  // namespace onnx2ir::passes
