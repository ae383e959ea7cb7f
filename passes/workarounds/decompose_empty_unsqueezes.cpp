// The CPU plugin sets the dynamic sizes of an empty Unsqueeze or Squeeze to 0 as well (empty_unsqueeze_shape,
// measured on 2026.4, tests/faults). An empty tensor has no data, so it is replaced by a Broadcast to the
// computed shape.
#include <algorithm>

#include "ir/inference.hpp"
#include "ir/views/groups.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// For each axis of the output, the index of its size in the input's shape; the input's rank for a new axis.
std::vector<std::int64_t> positions(ir::AnySqueezeView squeeze) {
  const std::size_t rank = squeeze.data().shape().rank();
  const std::size_t result_rank = squeeze.output(0).shape.rank();
  const bool adds = squeeze.node().is(ops::Unsqueeze);
  const std::size_t larger = adds ? result_rank : rank;
  std::vector<bool> is_listed(larger);
  const auto axes = ir::exact_values(squeeze.axes());
  for (const std::int64_t axis : *axes) is_listed[ir::normalize_axis(axis, larger)] = true;
  std::vector<std::int64_t> found;
  std::int64_t next = 0;
  for (std::size_t axis = 0; axis < larger; ++axis) {
    if (!is_listed[axis])
      found.push_back(next++);
    else if (adds)
      found.push_back(static_cast<std::int64_t>(rank));
    else
      ++next;
  }
  return found;
}

bool is_affected(ir::AnySqueezeView squeeze) {
  if (!squeeze.axes() || !ir::exact_values(squeeze.axes())) return false;
  const ir::Output& output = squeeze.output(0);
  return !output.shape.is_static() && output.shape.has(0) && output.type != ir::ElementType::string;
}

ir::Value decompose(ir::Builder& builder, ir::AnySqueezeView squeeze) {
  const ir::Value sizes =
      ir::concat(builder, {ir::compute_shape_of(builder, squeeze.data()), builder.integers({1})});
  const ir::Value target = ir::gather(builder, sizes, builder.integers(positions(squeeze)));
  return ir::fill(builder, 0, squeeze.output(0).type, target);
}

}  // namespace

Workaround decompose_empty_unsqueezes() {
  return {
      .stage = Stage::kernels,
      .summary = "Decomposes Unsqueeze and Squeeze of empty tensors",
      .rows = {row<is_affected, decompose>(Fault::empty_unsqueeze_shape, {ops::Unsqueeze, ops::Squeeze})}};
}

}  // namespace onnx2ir::passes
