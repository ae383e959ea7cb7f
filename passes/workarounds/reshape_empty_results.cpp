// Gives the results of VariadicSplit, Tile and TopK the shape that their inputs ask for. If the data is empty
// in two inferences with the same shape, the CPU plugin may not notice that the lengths, repeats or k have
// changed, and returns the shape of the earlier inference (stale_empty_shapes). A Reshape of an empty tensor
// may change any size.
#include <algorithm>
#include <vector>

#include "ir/inference.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reduction.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/stale_shapes.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

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

bool has_stale_output(const ir::Node& node) {
  return may_keep_stale_shape(node) && !std::ranges::all_of(node.outputs(), is_only_reshaped);
}

/// Gives each output that is used its right shape (VariadicSplit and TopK have several).
void reshape_outputs(ir::Builder& builder, ir::Node& node) {
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    const ir::Value output = node.value(i);
    const auto readers = output.output().uses;
    if (is_only_reshaped(output.output())) continue;
    const ir::Value right = reshape_to_known_sizes(
        builder, ir::reshape(builder, output, compute_expected_shape(builder, node, i)), output.shape());
    ir::replace_uses({readers.begin(), readers.end()}, output, right);
  }
}

}  // namespace

Workaround reshape_empty_results() {
  return {.stage = Stage::kernels,
          .summary = "Gives results of VariadicSplit, Tile and TopK of empty data their right shape",
          .rows = {row<has_stale_output, reshape_outputs>(Fault::stale_empty_shapes,
                                                          {ops::VariadicSplit, ops::Tile, ops::TopK})}};
}

}  // namespace onnx2ir::passes
