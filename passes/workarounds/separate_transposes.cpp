// Workarounds for wrong fusions of a Transpose with the operations before and after it.
#include <cstdint>

#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
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

/// Fault::shuffle_channels_groups. OpenVINO looks for a shuffle of channels in each Reshape, Transpose and
/// Reshape of a tensor of four dimensions, and requires the number of groups, which is the second dimension
/// after the first Reshape, to be static.
bool seems_to_shuffle_channels(ir::ReshapeView merge) {
  const auto transpose = ir::match<ir::TransposeView>(merge.data());
  const auto split = transpose ? ir::match<ir::ReshapeView>(transpose->data()) : std::nullopt;
  if (!split || !has_dynamic_groups(*split)) return false;
  const auto order = ir::exact_order(*transpose);
  const auto sizes = ir::exact_values(split->shape());
  return order && sizes && order->size() == sizes->size() && ir::exact_values(merge.shape());
}

/// Gives the transposed tensor more dimensions, of size 1, than those that OpenVINO compares.
ir::Value add_unit_axes(ir::Builder& builder, ir::ReshapeView merge) {
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

bool takes_only_element(ir::GatherView gather) {
  const ir::PartialShape& shape = gather.data().shape();
  if (!shape.has_rank() || shape.rank() == 0 || shape[0] != ir::Dimension(1)) return false;
  return gather.indices().shape().is_scalar() && ir::known_scalar(gather.indices()) == 0 &&
         ir::known_scalar(gather.axis()) == 0;
}

/// Fault::skipped_gather. OpenVINO removes a Gather of the only element of the first axis before a Transpose
/// and a Reshape, and gives the Transpose one more dimension, although it may have other uses. It leaves a
/// Squeeze.
bool gathers_only_element(ir::TransposeView transpose) {
  const auto gather = ir::match<ir::GatherView>(transpose.data());
  return gather && transpose.output(0).uses.size() > 1 && takes_only_element(*gather) &&
         gather->data().type() != ir::ElementType::string;
}

ir::Value squeeze_gather(ir::Builder& builder, ir::TransposeView transpose) {
  const ir::GatherView gather = *transpose.data().node;
  const ir::Value only = ir::squeeze(builder, gather.data(), {0});
  return builder.op(ops::Transpose, {only, transpose.order()});
}

}  // namespace

Workaround separate_transposes() {
  return {
      .stage = Stage::kernels,
      .summary = "Keeps Transposes apart from Gathers and Reshapes that OpenVINO would fuse wrongly",
      .rows = {row<seems_to_shuffle_channels, add_unit_axes>(Fault::shuffle_channels_groups, {ops::Reshape}),
               row<gathers_only_element, squeeze_gather>(Fault::skipped_gather, {ops::Transpose})}};
}

}  // namespace onnx2ir::passes
