// Replaces a Broadcast to sizes that may be 0 by a Tile if arithmetic uses it. OpenVINO moves the Broadcast
// after the arithmetic and takes the larger of each pair of sizes, which is 1 if one of them is 0 (measured
// on 2026.4, tests/faults; comparisons and Select are right).
#include <algorithm>
#include <array>

#include "ir/builder.hpp"
#include "ir/shape_tools.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether a size may be 0 in one operand of the arithmetic and 1 in the other.
bool sizes_may_clash(ir::BroadcastView broadcast, ir::Value other) {
  const ir::PartialShape& shape = broadcast.output(0).shape;
  const std::size_t target_rank = broadcast.shape().shape().element_count().value_or(0);
  const std::size_t other_rank = other.shape().rank();
  for (std::size_t back = 1; back <= std::min(shape.rank(), target_rank); ++back) {
    if (shape[shape.rank() - back].min > 0) continue;
    if (back > other_rank) return true;
    const ir::Dimension& size = other.shape()[other_rank - back];
    if (size.min > 1 || size.max == 0) continue;
    if (!ir::is_size_of(broadcast.shape(), target_rank - back, other, other_rank - back)) return true;
  }
  return false;
}

bool is_affected(ir::BroadcastView broadcast) {
  if (broadcast.mode() == "explicit") return false;
  return std::ranges::any_of(broadcast.output(0).uses, [&](const ir::Use& use) {
    const ir::Node& reader = *use.node;
    if (!reader.op().traits.is_arithmetic) return false;
    return sizes_may_clash(broadcast, reader.input(1 - use.index));
  });
}

/// `sizes` as i64, with leading ones up to length `rank`.
ir::Value extended(ir::Builder& builder, ir::Value sizes, std::size_t rank) {
  sizes = ir::convert(builder, sizes, ir::ElementType::i64);
  const auto present = static_cast<std::size_t>(sizes.shape().element_count().value_or(0));
  if (present == rank) return sizes;
  return ir::concat(builder, {builder.integers(std::vector<std::int64_t>(rank - present, 1)), sizes});
}

ir::Value tiled(ir::Builder& builder, ir::BroadcastView broadcast) {
  const std::size_t rank = broadcast.output(0).shape.rank();
  ir::Value data = broadcast.data();
  if (const std::size_t missing = rank - data.shape().rank(); missing > 0) {
    std::vector<std::int64_t> axes(missing);
    for (std::size_t i = 0; i < missing; ++i) axes[i] = static_cast<std::int64_t>(i);
    data = ir::unsqueeze(builder, data, axes);
  }
  const ir::Value own = ir::computed_shape_of(builder, data);
  const ir::Value grows = builder.op(ops::Equal, {own, builder.integers({1})});
  const ir::Value repeats =
      builder.op(ops::Select, {grows, extended(builder, broadcast.shape(), rank), builder.integers({1})});
  return builder.op(ops::Tile, {data, repeats});
}

}  // namespace

Workaround tile_empty_broadcasts() {
  return {.name = "tile_empty_broadcasts",
          .stage = Stage::kernels,
          .summary = "Replaces Broadcasts to sizes that may be 0 by Tiles if arithmetic uses them",
          .rows = {LegalizationRow{
              Fault::empty_broadcast_in_arithmetic, {ops::Broadcast}, affects<is_affected>, replace<tiled>}}};
}

}  // namespace onnx2ir::passes
