// Workaround for shuffle_channels_groups: OpenVINO looks for a shuffle of channels in each Reshape, Transpose
// and Reshape of a tensor of four dimensions, and requires the number of groups, which is the second
// dimension after the first Reshape, to be static. Here the transposed tensor gets more dimensions, of size
// 1, than those that OpenVINO compares.
#include <cstdint>

#include "ir/views/reshaping.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::size_t kRank = 6;

/// Whether OpenVINO reads the dynamic number of groups of `split`, the Reshape before the Transpose.
bool has_dynamic_groups(ir::ReshapeView split) {
  const ir::PartialShape& from = split.data().shape();
  const ir::PartialShape& to = split.output(0).shape;
  if (!from.has_rank(4) || !to.has_rank()) return false;
  for (std::size_t i = 1; i < 4; ++i) {
    if (from[i].is_dynamic()) return false;
  }
  return (to.rank() == 4 || to.rank() == 5) && to[1].is_dynamic();
}

bool is_affected(ir::ReshapeView merge) {
  const auto transpose = ir::match<ir::TransposeView>(merge.data());
  const auto split = transpose ? ir::match<ir::ReshapeView>(transpose->data()) : std::nullopt;
  if (!split || !has_dynamic_groups(*split)) return false;
  const auto order = ir::exact_order(*transpose);
  const auto sizes = ir::exact_values(split->shape());
  return order && sizes && order->size() == sizes->size() && ir::exact_values(merge.shape());
}

ir::Value separate(ir::Builder& builder, ir::ReshapeView merge) {
  const ir::TransposeView transpose = *merge.data().node;
  const ir::ReshapeView split = *transpose.data().node;
  auto order = ir::exact_order(transpose);
  auto sizes = ir::exact_values(split.shape());
  sizes->resize(kRank, 1);
  while (order->size() < kRank) order->push_back(static_cast<std::int64_t>(order->size()));
  const ir::Value parts = builder.op(ops::Reshape, {split.data(), builder.integers(*sizes)},
                                     {{"special_zero", split.special_zero()}});
  const ir::Value transposed = builder.op(ops::Transpose, {parts, builder.integers(*order)});
  return builder.op(ops::Reshape, {transposed, merge.shape()}, {{"special_zero", merge.special_zero()}});
}

}  // namespace

Workaround separate_shuffled_channels() {
  return {.stage = Stage::kernels,
          .summary = "Keeps OpenVINO from reading a dynamic number of groups as a shuffle of channels",
          .rows = {row<is_affected, separate>(Fault::shuffle_channels_groups, {ops::Reshape})}};
}

}  // namespace onnx2ir::passes
