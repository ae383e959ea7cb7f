// Workarounds for fusions of OpenVINO that give wrong results or do not compile. The rows list the operations
// with which such a fusion begins, or that are in the middle of it. An opaque copy of their result separates
// them from the operations that read them: the copy reads its operand twice, and OpenVINO does not fuse it.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/views/linear_algebra.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/unary.hpp"
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

/// Whether the value is the ReLU of another value times -1.
bool is_negative_part(ir::Value value) {
  if (!value.node->is(ops::ReLU)) return false;
  const ir::Node& source = *ir::ReLUView(*value.node).data().node;
  if (source.is(ops::Negative)) return true;
  const ir::Value factor = source.is(ops::Multiply) ? constant_operand(source) : ir::Value{};
  return factor && ir::exact_number(factor) == -1;
}

/// Fault::prelu_axis. The second axis of a matrix is the last one, and slopes of a higher rank are right.
bool is_scaled_negative_part(const ir::Node& node) {
  const ir::PartialShape& shape = node.output(0).shape;
  const ir::Value slope = constant_operand(node);
  return slope && slope.shape().admits_rank(1) && slope.shape().element_count() != 1 && shape.has_rank() &&
         shape.rank() > 2 && std::ranges::any_of(node.inputs(), is_negative_part);
}

/// The product with slopes of one more dimension.
ir::Value raise_slope_rank(ir::Builder& builder, const ir::Node& product) {
  const ir::Value slopes = ir::unsqueeze(builder, constant_operand(product), {0});
  return builder.op(ops::Multiply, {variable_operand(product), slopes});
}

/// Fault::product_axis_constants.
bool precedes_axis_constant(const ir::Node& node) {
  const ir::PartialShape& shape = node.output(0).shape;
  if (!shape.has_rank() || shape.rank() < 4 || shape.is_static()) return false;
  return std::ranges::any_of(chain_after(node), [&](const ir::Node* reader) {
    const ir::Value constant = constant_operand(*reader);
    return constant && axes_of(constant, shape.rank()) == std::vector<std::size_t>{1};
  });
}

/// Fault::space_to_batch_shape.
bool is_padded_for_blocks(ir::SpaceToDepthView blocks) {
  constexpr ir::OperationSet kMoves = {ops::Reshape, ops::Transpose, ops::Pad};
  if (!is_read_by(blocks, kMoves)) return false;
  bool is_padded = false;
  const ir::Node* source = blocks.data().node;
  for (int depth = 0; depth < 4 && source->is_one_of(kMoves); ++depth) {
    is_padded = is_padded || source->is(ops::Pad);
    source = source->input(0).node;
  }
  return is_padded;
}

/// Fault::scaled_vector_product.
bool is_scaled_vector_product(const ir::Node& node) {
  const bool has_vector = std::ranges::any_of(node.inputs(), [](ir::Value input) {
    return input.shape().has_rank(1) && ir::is_computed_from_constants(input);
  });
  return has_vector && std::ranges::any_of(chain_after(node), [](const ir::Node* reader) {
           return static_cast<bool>(constant_operand(*reader));
         });
}

/// Fault::sum_of_scalar.
bool precedes_sum_with_scalar(ir::MatMulView product) {
  const ir::Node* sum = only_reader(product);
  // OpenVINO moves a Transpose after the sum, and removes factors of 1.
  while (sum != nullptr && sum->is_one_of({ops::Transpose, ops::Multiply, ops::Divide}))
    sum = only_reader(*sum);
  const ir::PartialShape& shape = product.output(0).shape;
  if (sum == nullptr || !sum->is_one_of(kSums) || !shape.has_rank()) return false;
  const ir::Value constant = constant_operand(*sum);
  return shape.rank() > 3 &&
         (ir::is_computed_from_constants(product.a()) || ir::is_computed_from_constants(product.b())) &&
         constant && constant.shape().element_count() == 1;
}

/// Fault::slice_before_gather_elements.
bool is_gathered_slice(const ir::Node& slice) {
  return std::ranges::any_of(slice.output(0).uses, [](const ir::Use& use) {
    return use.node->is(ops::GatherElements) && use.index == ir::GatherElementsView::Input::data;
  });
}

/// Fault::repeated_softmax.
bool is_repeated_softmax(const ir::Node& node) {
  return std::ranges::any_of(node.output(0).uses, [&](const ir::Use& use) {
    if (!use.node->is(ops::Concat)) return false;
    const auto is_same = [&](ir::Value part) { return part.node == &node; };
    const auto first = std::ranges::find_if(use.node->inputs(), is_same);
    return std::cmp_not_equal(first - use.node->inputs().begin(), use.index);
  });
}

/// Leaves room for operations that the plugin adds, such as scales of quantised weights.
constexpr std::size_t kMostFused = 24;

/// Fault::long_fused_chains. The CPU plugin fuses the elementwise operations that follow a convolution or a
/// product with constant weights. oneDNN takes at most 32 of them; if there are more, the model does not
/// compile. The result is the operation that ends a chain which is too long; null if the chain of `source` is
/// short.
ir::Node* last_fused(const ir::Node& source) {
  ir::Node* reader = fused_reader(source);
  for (std::size_t count = 1; reader != nullptr; ++count) {
    ir::Node* const next = fused_reader(*reader);
    if (count == kMostFused) return next == nullptr ? nullptr : reader;
    reader = next;
  }
  return nullptr;
}

void limit_chain(ir::Builder& builder, ir::Node& source) {
  separate_from_uses(builder, *last_fused(source));
}

}  // namespace

Workaround separate_fused_operations() {
  return {.summary = "Keeps operations apart that OpenVINO would fuse wrongly",
          .stages = {
              {Stage::kernels,
               {row<last_fused, limit_chain>(Fault::long_fused_chains, kProducts),
                row<is_scaled_negative_part, raise_slope_rank>(Fault::prelu_axis, {ops::Multiply}),
                separating_row<precedes_axis_constant>(Fault::product_axis_constants, {ops::MatMul}),
                separating_row<is_repeated_softmax>(Fault::repeated_softmax, {ops::SoftMax}),
                separating_row<is_scaled_vector_product>(Fault::scaled_vector_product, {ops::MatMul}),
                row<seems_to_shuffle_channels, add_unit_axes>(Fault::shuffle_channels_groups, {ops::Reshape}),
                row<gathers_only_element, squeeze_gather>(Fault::skipped_gather, {ops::Transpose}),
                separating_row<is_gathered_slice>(Fault::slice_before_gather_elements, {ops::Slice}),
                separating_row<is_padded_for_blocks>(Fault::space_to_batch_shape, {ops::SpaceToDepth}),
                separating_row<precedes_sum_with_scalar>(Fault::sum_of_scalar, {ops::MatMul})}}}};
}

}  // namespace onnx2ir::passes
