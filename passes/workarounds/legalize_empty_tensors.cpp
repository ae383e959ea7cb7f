// Workarounds for tensors that are or may be empty.
#include <algorithm>
#include <utility>
#include <vector>

#include "ir/inference.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/reduction.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/stale_shapes.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

// Faults empty_product and empty_concat_part: products and concatenations of operands that are known to be
// empty become a Broadcast of 0 to their shape.

/// Zeros, or no elements, of the type of `node` and of a shape whose dynamic sizes `size_along(axis)`
/// computes, as vectors of one element.
template <typename Sizes>
ir::Value fill_like(ir::Builder& builder, const ir::Node& node, Sizes size_along) {
  const ir::PartialShape& shape = node.output(0).shape;
  const ir::ElementType type = node.output(0).type;
  if (shape.is_static() && shape.has(0))
    return ir::emit_empty_constant(builder, type, shape.sizes()->unchecked());
  if (const auto sizes = shape.sizes()) return ir::fill(builder, 0, type, builder.integers(*sizes));
  std::vector<ir::Value> sizes;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    const ir::Value size =
        shape[axis].is_static() ? builder.integers({shape[axis].size()}) : size_along(axis);
    sizes.push_back(size);
  }
  return ir::fill(builder, 0, type, ir::concat(builder, sizes));
}

/// Whether a size of `operand`, counted from its last axis, is 1.
bool is_one(ir::Value operand, std::size_t from_end) {
  const ir::PartialShape& shape = operand.shape();
  return shape.rank() < from_end || shape[shape.rank() - from_end] == ir::Dimension(1);
}

/// Whether the size of a product along `axis` is static, or one operand alone gives it.
bool has_known_source(ir::MatMulView product, std::size_t axis) {
  const ir::Value left = product.a();
  const ir::Value right = product.b();
  if (product.output(0).shape[axis].is_static()) return true;
  if (left.shape().rank() == 1 || right.shape().rank() == 1) return false;
  const std::size_t from_end = product.output(0).shape.rank() - axis;
  return from_end <= 2 || is_one(left, from_end) || is_one(right, from_end);
}

/// The size of a product along `axis`. For an axis of both operands, the one whose size is not 1 gives it.
ir::Value compute_product_size(ir::Builder& builder, ir::MatMulView product, std::size_t axis) {
  const ir::Value left = product.a();
  const ir::Value right = product.b();
  const std::size_t rank = product.output(0).shape.rank();
  const auto emit_size = [&](ir::Value operand, std::size_t from_end) {
    return ir::dimension_of(builder, operand, static_cast<std::int64_t>(operand.shape().rank() - from_end));
  };
  if (axis + 2 == rank) return emit_size(left, product.transpose_a() ? 1 : 2);
  if (axis + 1 == rank) return emit_size(right, product.transpose_b() ? 2 : 1);
  const std::size_t from_end = rank - axis;
  return emit_size(is_one(right, from_end) ? left : right, from_end);
}

bool is_empty_product(ir::MatMulView product) {
  const ir::PartialShape& left = product.a().shape();
  const ir::PartialShape& right = product.b().shape();
  if (!left.has_rank() || !right.has_rank() || (!left.has(0) && !right.has(0))) return false;
  for (std::size_t axis = 0; axis < product.output(0).shape.rank(); ++axis) {
    if (!has_known_source(product, axis)) return false;
  }
  return true;
}

ir::Value fill_product(ir::Builder& builder, const ir::Node& product) {
  return fill_like(builder, product,
                   [&](std::size_t axis) { return compute_product_size(builder, product, axis); });
}

/// The sizes of parts without elements along the axis of the Concat count, but OpenVINO removes such parts.
bool is_empty_concat(const ir::Node& concat) {
  const ir::PartialShape& shape = concat.output(0).shape;
  const auto has_rank = [](ir::Value part) { return part.shape().has_rank(); };
  return std::ranges::all_of(concat.inputs(), has_rank) && shape.has(0) && !shape.is_static() &&
         concat.output(0).type != ir::ElementType::string && shape[joined_axis(concat)] != ir::Dimension(0);
}

ir::Value fill_concat(ir::Builder& builder, ir::ConcatView concat) {
  const std::size_t joined = joined_axis(concat);
  return fill_like(builder, concat, [&](std::size_t axis) {
    ir::Value sum;
    for (const ir::Value part : concat.parts()) {
      const ir::Value size = ir::dimension_of(builder, part, static_cast<std::int64_t>(axis));
      if (axis != joined) return size;
      sum = sum ? builder.op(ops::Add, {sum, size}) : size;
    }
    return sum;
  });
}

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

/// Whether `reader` is arithmetic with the Broadcast in which an empty operand gets another size. OpenVINO
/// subtracts the Broadcast if an Add reads its Negative.
bool is_wrong_if_empty(ir::BroadcastView broadcast, const ir::Use& use) {
  const ir::Node& reader = *use.node;
  if (reader.is(ops::Negative)) {
    return std::ranges::any_of(reader.output(0).uses, [&](const ir::Use& next) {
      return next.node->is(ops::Add) && is_wrong_if_empty(broadcast, next);
    });
  }
  if (!reader.op().traits.is_arithmetic || is_opaque_copy(reader)) return false;
  const ir::Value other = reader.input(1 - use.index);
  return sizes_may_clash(broadcast, other) || may_change_empty(broadcast, other);
}

/// Fault::empty_broadcast_in_arithmetic. OpenVINO moves a Broadcast after the arithmetic that reads it, and
/// takes the larger of each pair of sizes, which is 1 if one of them is 0 (comparisons and Select are right):
/// the result has size 1, or fails if it is the other operand that is empty. A Tile instead of a copy would
/// be right as well, but Tiles of rank 4 and more are wrong (tile_dynamic_rank4).
bool may_meet_empty_operand(ir::BroadcastView broadcast) {
  return broadcast.mode() != "explicit" &&
         std::ranges::any_of(broadcast.output(0).uses,
                             [&](const ir::Use& use) { return is_wrong_if_empty(broadcast, use); });
}

/// Whether `part` is a Concat along `axis`, which OpenVINO makes a part of a Concat along this axis.
bool is_joined_along(ir::Value part, std::size_t axis) {
  const auto concat = ir::match<ir::ConcatView>(part);
  return concat && joined_axis(*concat) == axis;
}

/// Whether `part`, or a part of it, may be empty.
bool may_be_empty(ir::Value part, std::size_t axis) {
  const ir::Dimension size = part.shape()[axis];
  return size.admits(0) || (is_joined_along(part, axis) && !size.is_static());
}

/// The parts, of which Concats along the same axis are replaced by their own parts.
std::vector<ir::Value> joined_parts(ir::ConcatView concat, std::size_t axis) {
  std::vector<ir::Value> parts;
  for (const ir::Value part : concat.parts()) {
    if (is_joined_along(part, axis))
      parts.insert(parts.end(), part.node->inputs().begin(), part.node->inputs().end());
    else
      parts.push_back(part);
  }
  return parts;
}

/// Fault::empty_part_before_others. If the axis after the joined one has size 1, a Concat of three or more
/// parts copies elements of another part in place of an empty one, and writes outside of its memory. OpenVINO
/// makes one Concat of a Concat of Concats. Concats of two parts are right (measured on 2024.6 to 2026.4); a
/// copy between them keeps them apart.
bool has_empty_part_before_others(ir::ConcatView concat) {
  const ir::Output& output = concat.output(0);
  if (!output.shape.has_rank() || output.type == ir::ElementType::string) return false;
  const std::size_t axis = joined_axis(concat);
  if (axis + 1 == output.shape.rank() || !output.shape[axis + 1].admits(1)) return false;
  const std::vector<ir::Value> parts = joined_parts(concat, axis);
  return parts.size() > 2 && std::any_of(parts.begin(), parts.end() - 1,
                                         [&](ir::Value part) { return may_be_empty(part, axis); });
}

ir::Value join_in_pairs(ir::Builder& builder, ir::ConcatView concat) {
  const std::size_t axis = joined_axis(concat);
  const auto separate = [&](ir::Value part) {
    return is_joined_along(part, axis) ? copy_opaquely(builder, part) : part;
  };
  // In rounds, so that no part is copied more often than the logarithm of their number.
  std::vector<ir::Value> parts(concat.parts().begin(), concat.parts().end());
  while (parts.size() > 1) {
    std::vector<ir::Value> pairs;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      const ir::Value first = separate(parts[i]);
      const ir::Value second = separate(parts[i + 1]);
      pairs.push_back(ir::concat(builder, {first, second}, concat.axis()));
    }
    if (parts.size() % 2 == 1) pairs.push_back(parts.back());
    parts = std::move(pairs);
  }
  return parts.front();
}

/// Whether a dynamic size that may be 0 changes its position.
bool may_move_empty_dimension(const ir::PartialShape& shape, const ir::Integers& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ir::Dimension& size = shape[static_cast<std::size_t>(order[i])];
    if (order[i] != static_cast<std::int64_t>(i) && size.min == 0 && size.max != 0) return true;
  }
  return false;
}

/// Fault::empty_unit_transpose. OpenVINO replaces a Transpose that only moves axes of size 1 by a Reshape in
/// which a size of 0 means that of the input at this position: that fails or reads out of bounds if another
/// size is 0.
bool moves_empty_dimension(ir::TransposeView transpose) {
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

/// For each axis of the output, the index of its size in the input's shape; the input's rank for a new axis.
std::vector<std::int64_t> places_of_sizes(ir::AnySqueezeView squeeze) {
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

/// Fault::empty_unsqueeze_shape. The CPU plugin sets the dynamic sizes of an empty Unsqueeze or Squeeze to 0
/// as well.
bool is_empty_unsqueeze(ir::AnySqueezeView squeeze) {
  if (!squeeze.axes() || !ir::exact_values(squeeze.axes())) return false;
  const ir::Output& output = squeeze.output(0);
  return !output.shape.is_static() && output.shape.has(0) && output.type != ir::ElementType::string;
}

/// An empty tensor has no data, so it is a Broadcast to the computed shape.
ir::Value fill_unsqueezed(ir::Builder& builder, ir::AnySqueezeView squeeze) {
  const ir::Value sizes =
      ir::concat(builder, {ir::compute_shape_of(builder, squeeze.data()), builder.integers({1})});
  const ir::Value target = ir::gather(builder, sizes, builder.integers(places_of_sizes(squeeze)));
  return ir::fill(builder, 0, squeeze.output(0).type, target);
}

/// The shape of `data` with another size of one axis.
ir::Value compute_resized_shape(ir::Builder& builder, ir::Value data, std::size_t axis, ir::Value size) {
  std::vector<std::int64_t> is_axis(data.shape().rank(), 0);
  is_axis[axis] = 1;
  const ir::Value place = builder.integers(is_axis, ir::ElementType::boolean);
  return builder.op(ops::Select,
                    {place, ir::convert(builder, size, ir::ElementType::i64), ir::shape_of(builder, data)});
}

/// `sizes`, i64, with ones before them for the axes up to `rank`.
ir::Value prepend_ones(ir::Builder& builder, ir::Value sizes, std::size_t rank) {
  const auto count = static_cast<std::size_t>(sizes.shape().element_count().value_or(0));
  if (count == rank) return sizes;
  return ir::concat(builder, {builder.integers(std::vector<std::int64_t>(rank - count, 1)), sizes});
}

/// The shape of the result of `tile`, i64.
ir::Value compute_tiled_shape(ir::Builder& builder, ir::TileView tile) {
  const std::size_t rank = tile.output(0).shape.rank();
  const ir::Value repeats = ir::convert(builder, tile.repeats(), ir::ElementType::i64);
  return builder.op(ops::Multiply, {prepend_ones(builder, repeats, rank),
                                    prepend_ones(builder, ir::shape_of(builder, tile.data()), rank)});
}

/// The right shape of output `index` of `node`, i64.
ir::Value compute_expected_shape(ir::Builder& builder, const ir::Node& node, std::size_t index) {
  const ir::Value data = node.input(0);
  if (node.is(ops::Tile)) return compute_tiled_shape(builder, node);
  if (const auto top = ir::match<ir::TopKView>(node)) {
    const std::size_t axis = ir::normalize_axis(top->axis(), data.shape().rank());
    return compute_resized_shape(builder, data, axis, top->k());
  }
  const ir::VariadicSplitView split = node;
  const std::int64_t axis = ir::exact_values(split.axis())->front();
  const ir::Value length =
      ir::gather(builder, split.lengths(), builder.integers({static_cast<std::int64_t>(index)}));
  return compute_resized_shape(builder, data, ir::normalize_axis(axis, data.shape().rank()), length);
}

/// `value` with the static sizes of `shape`, which has the same rank; 0 in a Reshape keeps the size.
ir::Value reshape_to_known_sizes(ir::Builder& builder, ir::Value value, const ir::PartialShape& shape) {
  const auto is_known = [](const ir::Dimension& size, const ir::Dimension& found) {
    return size.is_dynamic() || found == size;
  };
  return std::ranges::equal(shape, value.shape(), is_known)
             ? value
             : ir::reshape_keeping(builder, value, shape.sizes_or(0));
}

/// Whether all readers give an output a shape of their own.
bool is_only_reshaped(const ir::Output& output) {
  return std::ranges::all_of(output.uses, [](const ir::Use& use) {
    const auto reshape = ir::match<ir::ReshapeView>(*use.node);
    return reshape && use.index == ir::ReshapeView::Input::data && !reshape->special_zero();
  });
}

/// Fault::stale_empty_shapes. If the data is empty in two inferences with the same shape, the CPU plugin may
/// not notice that the lengths, repeats or k have changed, and returns the shape of the earlier inference.
/// A Reshape of an empty tensor may change any size.
bool has_stale_output(const ir::Node& node) {
  return may_keep_stale_shape(node) && !std::ranges::all_of(node.outputs(), is_only_reshaped);
}

/// Gives each output that is used its right shape (VariadicSplit and TopK have several).
void reshape_outputs(ir::Builder& builder, ir::Node& node) {
  for (const ir::Value output : node.values()) {
    const auto readers = output.output().uses;
    if (is_only_reshaped(output.output())) continue;
    const ir::Value right = reshape_to_known_sizes(
        builder, ir::reshape(builder, output, compute_expected_shape(builder, node, output.index)),
        output.shape());
    ir::replace_uses({readers.begin(), readers.end()}, output, right);
  }
}

/// Fault::empty_constant_factor. OpenVINO reads the first element of a constant that is the first operand of
/// a product before a sum.
bool has_empty_constant_first(const ir::Node& multiply) {
  const ir::Value first = multiply.input(0);
  return first.node->constant() != nullptr && first.shape().element_count() == 0 &&
         !ir::is_computed_from_constants(multiply.input(1)) && is_read_by(multiply, {ops::Add});
}

}  // namespace

Workaround legalize_empty_tensors() {
  return {
      .summary =
          "Replaces operations that may give or read empty tensors, and keeps apart what OpenVINO would fuse "
          "wrongly then",
      .stages = {
          {Stage::operations,
           {row<is_empty_concat, fill_concat>(Fault::empty_concat_part, {ops::Concat}),
            row<is_empty_product, fill_product>(Fault::empty_product, {ops::MatMul})}},
          {Stage::kernels,
           {row<may_meet_empty_operand, separate_from_uses>(Fault::empty_broadcast_in_arithmetic,
                                                            {ops::Broadcast}),
            row<has_empty_constant_first, swap_operands>(Fault::empty_constant_factor, {ops::Multiply}),
            row<has_empty_part_before_others, join_in_pairs>(Fault::empty_part_before_others, {ops::Concat}),
            row<moves_empty_dimension, reshape_transpose>(Fault::empty_unit_transpose, {ops::Transpose}),
            row<is_empty_unsqueeze, fill_unsqueezed>(Fault::empty_unsqueeze_shape,
                                                     {ops::Unsqueeze, ops::Squeeze}),
            row<has_stale_output, reshape_outputs>(Fault::stale_empty_shapes,
                                                   {ops::VariadicSplit, ops::Tile, ops::TopK})}}}};
}

}  // namespace onnx2ir::passes
