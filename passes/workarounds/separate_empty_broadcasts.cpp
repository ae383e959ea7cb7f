// Workaround for empty_broadcast_in_arithmetic: OpenVINO moves a Broadcast after the arithmetic that reads
// it, and takes the larger of each pair of sizes, which is 1 if one of them is 0 (comparisons and Select are
// right): the result has size 1, or fails if it is the other operand that is empty. Here a copy of the
// Broadcast, which OpenVINO does not remove, keeps them apart. A Tile would be right as well, but Tiles of
// rank 4 and more are wrong (tile_dynamic_rank4).
#include <algorithm>

#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"

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
    if (size.min > 1 || (size.max == 0 && !shape[shape.rank() - back].admits(1))) continue;
    if (!ir::is_size_of(broadcast.shape(), target_rank - back, other, other_rank - back)) return true;
  }
  return false;
}

/// Whether the Broadcast may have another size than 1 and that of the other operand, at the same place from
/// the back. OpenVINO moves it unless it knows that the sizes are equal.
bool may_have_other_size(ir::BroadcastView broadcast, ir::Value other, std::size_t back) {
  const ir::PartialShape& shape = broadcast.output(0).shape;
  if (back > shape.rank() || shape[shape.rank() - back] == ir::Dimension(1)) return false;
  const std::size_t axis = other.shape().rank() - back;
  if (shape[shape.rank() - back].is_static() && shape[shape.rank() - back] == other.shape()[axis])
    return false;
  const std::size_t target_rank = broadcast.shape().shape().element_count().value_or(0);
  return back > target_rank || !ir::is_size_of(broadcast.shape(), target_rank - back, other, axis);
}

/// Whether the other operand may be empty along an axis that the Broadcast has with size 1 or lacks, while
/// the Broadcast may change another size, or has more axes.
bool may_change_empty(ir::BroadcastView broadcast, ir::Value other) {
  const ir::PartialShape& own = broadcast.output(0).shape;
  const ir::PartialShape& shape = other.shape();
  if (!own.has_rank() || !shape.has_rank()) return false;
  bool is_empty = false;
  bool is_changed = own.rank() > shape.rank();
  for (std::size_t back = 1; back <= shape.rank(); ++back) {
    const ir::Dimension size = shape[shape.rank() - back];
    const ir::Dimension own_size = back <= own.rank() ? own[own.rank() - back] : ir::Dimension(1);
    is_empty = is_empty || (size.min == 0 && own_size == ir::Dimension(1));
    is_changed = is_changed || may_have_other_size(broadcast, other, back);
  }
  return is_empty && is_changed;
}

bool is_affected(ir::BroadcastView broadcast) {
  if (broadcast.mode() == "explicit") return false;
  return std::ranges::any_of(broadcast.output(0).uses, [&](const ir::Use& use) {
    const ir::Node& reader = *use.node;
    if (!reader.op().traits.is_arithmetic || is_opaque_copy(reader)) return false;
    const ir::Value other = reader.input(1 - use.index);
    return sizes_may_clash(broadcast, other) || may_change_empty(broadcast, other);
  });
}

}  // namespace

Workaround separate_empty_broadcasts() {
  return {
      .stage = Stage::kernels,
      .summary = "Keeps arithmetic apart from Broadcasts to sizes that may be 0",
      .rows = {row<is_affected, separate_from_uses>(Fault::empty_broadcast_in_arithmetic, {ops::Broadcast})}};
}

}  // namespace onnx2ir::passes
