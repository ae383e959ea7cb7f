// Replaces operations that move elements and that the CPU plugin computes wrongly. Each row of the table
// works around one fault.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "ir/element_type.hpp"
#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"
#include "passes/legalize/legalization_table.hpp"

namespace onnx2ir::passes {
namespace {

using ir::ElementType;

/// A Gather without indices becomes a Slice from 0 to 0.
ir::Value empty_gather(ir::Builder& builder, const ir::Node& node) {
  const ir::Value indices = node.input(1);
  if (indices.shape().element_count() != 0 || indices.shape().rank() != 1) return {};
  const auto axis = ir::exact_values(node.input(2));
  if (!axis || node.integer("batch_dims") != 0) return {};
  const ir::Value zero = builder.integers({0});
  return builder.op(ops::Slice, {node.input(0), zero, zero, builder.integers({1}), builder.integers(*axis)});
}

/// A Gather along an axis that an Unsqueeze adds counts the axis from the other end than the Unsqueeze:
/// OpenVINO compares the two numbers.
ir::Value gathered_unsqueeze(ir::Builder& builder, const ir::Node& node) {
  const ir::Node& unsqueeze = *node.input(0).node;
  const ir::PartialShape& shape = node.input(0).shape();
  if (!unsqueeze.is(ops::Unsqueeze) || !shape.has_rank() || node.input(1).shape().is_scalar()) return {};
  const auto axis = ir::exact_values(node.input(2));
  if (!axis || axis->size() != 1 || ir::exact_values(unsqueeze.input(1)) != *axis) return {};
  const auto rank = static_cast<std::int64_t>(shape.rank());
  const std::int64_t other = axis->front() < 0 ? axis->front() + rank : axis->front() - rank;
  const std::array inputs = {node.input(0), node.input(1), builder.integer(other)};
  return builder.clone(node, inputs).value();
}

/// Pads with zeros, and selects the pad value where a tensor of ones, padded in the same way, is zero.
ir::Value pad_with_dynamic_value(ir::Builder& builder, const ir::Node& node) {
  if (node.text("pad_mode") != "constant" || node.inputs().size() < 4) return {};
  const ir::Value value = node.input(3);
  if (value.node->constant() != nullptr) return {};
  const auto padded = [&](ir::Value data) {
    return builder.op(ops::Pad, {data, node.input(1), node.input(2), builder.number_like(0, data)},
                      {{"pad_mode", std::string("constant")}});
  };
  const ir::Value one = builder.number(1, ElementType::f32);
  const ir::Value ones = ir::broadcast_to(builder, one, ir::shape_of(builder, node.input(0)));
  return builder.op(ops::Select, {builder.op(ops::Equal, {padded(ones), one}), padded(node.input(0)), value});
}

/// The largest rank of which the CPU plugin computes all Tiles rightly.
constexpr std::size_t kMaxTiledRank = 3;

/// `x` with `axes` repeated: Reshape [a, b] to [a, 1, b], Broadcast to [a, q, b], Reshape to [a, q * b].
/// `repeats`: i64, one for each axis.
ir::Value repeat_axes(ir::Builder& builder, ir::Value x, ir::Value repeats,
                      std::span<const std::size_t> axes) {
  const std::size_t rank = x.shape().rank();
  const ir::Value sizes = ir::shape_of(builder, x);
  // Each shape below is a selection of these numbers.
  const ir::Value numbers = ir::concat(builder, {sizes, repeats, builder.integers({1})});
  const auto one = static_cast<std::int64_t>(2 * rank);
  std::vector<std::int64_t> separate;
  std::vector<std::int64_t> repeated;
  std::vector<std::int64_t> factors;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto size = static_cast<std::int64_t>(axis);
    const auto count = static_cast<std::int64_t>(rank + axis);
    const bool is_repeated = std::ranges::find(axes, axis) != axes.end();
    if (is_repeated) {
      separate.push_back(one);
      repeated.push_back(count);
    }
    separate.push_back(size);
    repeated.push_back(size);
    factors.push_back(is_repeated ? count : one);
  }
  const auto selected = [&](const std::vector<std::int64_t>& indices) {
    return ir::gather(builder, numbers, builder.integers(indices), 0);
  };
  const ir::Value spread =
      builder.op(ops::Broadcast, {ir::reshape(builder, x, selected(separate)), selected(repeated)},
                 {{"mode", std::string("numpy")}});
  return ir::reshape(builder, spread, builder.op(ops::Multiply, {sizes, selected(factors)}));
}

/// Replaces a Tile by Broadcasts. The GPU plugin has none of rank 8, so each repeats as many axes as fit into
/// rank 6.
ir::Value broadcast_tile(ir::Builder& builder, const ir::Node& node) {
  constexpr std::size_t kMaxRank = 6;
  const std::size_t rank = node.output(0).shape.rank();
  if (node.input(0).shape().rank() != rank) return {};
  const auto known_repeats = ir::exact_values(node.input(1));
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!known_repeats || (*known_repeats)[axis] != 1) axes.push_back(axis);
  }
  const ir::Value repeats = ir::convert(builder, node.input(1), ElementType::i64);
  const std::size_t at_once = rank < kMaxRank ? kMaxRank - rank : 1;
  ir::Value tiled = node.input(0);
  for (std::size_t first = 0; first < axes.size(); first += at_once) {
    const std::size_t count = std::min(at_once, axes.size() - first);
    tiled = repeat_axes(builder, tiled, repeats, std::span(axes).subspan(first, count));
  }
  // Keeps the sizes that inference knows of the Tile; 0 in a Reshape keeps the size of the input.
  std::vector<std::int64_t> known;
  for (const ir::Dimension& size : node.output(0).shape) known.push_back(size.is_static() ? size.size() : 0);
  const bool is_any_known = std::ranges::any_of(known, [](std::int64_t size) { return size != 0; });
  if (!is_any_known) return tiled;
  return ir::reshape_keeping(builder, tiled, known);
}

ir::Value dynamic_tile(ir::Builder& builder, const ir::Node& node) {
  const bool is_wrong = node.output(0).shape.rank() > kMaxTiledRank && !ir::exact_values(node.input(1));
  return is_wrong ? broadcast_tile(builder, node) : ir::Value{};
}

/// A Tile that repeats the second axis, of size 1, of a tensor of dynamic shape. Whether it is wrong also
/// depends on the other repeats, and on whether the input is a Tile.
ir::Value tile_of_one_channel(ir::Builder& builder, const ir::Node& node) {
  const ir::PartialShape& shape = node.input(0).shape();
  const auto repeats = ir::exact_values(node.input(1));
  if (!shape.has_rank() || shape.rank() <= kMaxTiledRank || shape.is_static()) return {};
  if (!repeats || repeats->size() != shape.rank() || shape[1] != ir::Dimension(1) || (*repeats)[1] == 1)
    return {};
  return broadcast_tile(builder, node);
}

/// A Reshape of floating-point numbers to a scalar becomes a Squeeze of all axes. Only those that depend on a
/// MatMul or an attention have the fault, but through any operations (Softmax and Gather are among them).
/// Integer products compile.
ir::Value scalar_reshape(ir::Builder& builder, const ir::Node& node) {
  const ir::PartialShape& shape = node.input(0).shape();
  if (!shape.has_rank() || shape.rank() == 0 || !ir::is_floating(node.output(0).type)) return {};
  if (!node.output(0).shape.has_rank() || node.output(0).shape.rank() != 0) return {};
  std::vector<std::int64_t> axes(shape.rank());
  std::iota(axes.begin(), axes.end(), 0);
  // 2024.6 does not write the result of a Squeeze of a Transpose to a scalar.
  ir::Value source = node.input(0);
  while (source.node->is(ops::Transpose)) source = source.node->input(0);
  return builder.op(ops::Squeeze, {source, builder.integers(axes)});
}

/// The same for two different Reduces: the first one reduces other axes of what the Transpose reads.
ir::Value total_of_reduced_transpose(ir::Builder& builder, const ir::Node& total, const ir::Node& reduction) {
  const ir::Node& transpose = *reduction.input(0).node;
  if (!transpose.is(ops::Transpose)) return {};
  const auto order = ir::exact_values(transpose.input(1));
  const auto axes = ir::exact_values(reduction.input(1));
  if (!order || !axes || !transpose.output(0).shape.has_rank()) return {};
  std::vector<std::int64_t> moved;
  for (const std::int64_t axis : *axes) {
    moved.push_back((*order)[ir::normalize_axis(axis, transpose.output(0).shape.rank())]);
  }
  const ir::Value reduced = builder.op(reduction.op().id, {transpose.input(0), builder.integers(moved)},
                                       {{"keep_dims", reduction.boolean("keep_dims")}});
  return builder.clone(total, std::array{reduced, total.input(1)}).value();
}

/// A Reduce of a Transpose to a scalar, also in several steps, does not need the Transpose.
ir::Value total_of_transpose(ir::Builder& builder, const ir::Node& node) {
  const ir::PartialShape& shape = node.output(0).shape;
  if (!shape.has_rank() || shape.rank() != 0) return {};
  ir::Value source = node.input(0);
  while (source.node->is(node.op().id)) source = source.node->input(0);
  if (source == node.input(0) && source.node->op().traits.is_reduction) {
    return total_of_reduced_transpose(builder, node, *source.node);
  }
  if (!source.node->is(ops::Transpose) || !source.shape().has_rank()) return {};
  std::vector<std::int64_t> axes(source.shape().rank());
  std::iota(axes.begin(), axes.end(), 0);
  return builder.op(node.op().id, {source.node->input(0), builder.integers(axes)}, {{"keep_dims", false}});
}

std::span<const Legalization> legalizations() {
  static const std::array kLegalizations = {
      Legalization{Fault::empty_gather, {ops::Gather}, empty_gather},
      Legalization{Fault::gathered_unsqueeze, {ops::Gather}, gathered_unsqueeze},
      Legalization{Fault::pad_value_dynamic, {ops::Pad}, pad_with_dynamic_value},
      Legalization{Fault::scalar_reshape_of_product, {ops::Reshape}, scalar_reshape},
      Legalization{Fault::total_of_transpose,
                   {ops::ReduceSum, ops::ReduceProd, ops::ReduceMean, ops::ReduceMax, ops::ReduceMin,
                    ops::ReduceL1, ops::ReduceL2},
                   total_of_transpose},
      Legalization{Fault::tile_dynamic_rank4, {ops::Tile}, dynamic_tile},
      Legalization{Fault::tile_of_one_channel, {ops::Tile}, tile_of_one_channel},
  };
  return kLegalizations;
}

}  // namespace

bool legalize_data_movement(ir::Model& model, PassContext& context) {
  return apply_legalizations(model, context, legalizations());
}

}  // namespace onnx2ir::passes
