// Workarounds for fusions of OpenVINO that give wrong results or do not compile. The rows list the operations
// at which such a fusion begins, or through which it passes. An opaque copy of their result keeps them apart
// from the operations that read them.
#include <algorithm>
#include <array>
#include <vector>

#include "ir/graph.hpp"
#include "ir/inference.hpp"
#include "ir/known_values.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/spatial.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"
#include "passes/workarounds/separation.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kConvolutions = {ops::Convolution, ops::GroupConvolution};

/// Whether the value is the ReLU of another value times -1.
bool is_negative_part(ir::Value value) {
  if (!value.node->is(ops::ReLU)) return false;
  const ir::Node& source = *ir::ReLUView(*value.node).data().node;
  if (source.is(ops::Negative)) return true;
  const ir::Value* const factor = source.is(ops::Multiply) ? constant_operand(source) : nullptr;
  return factor != nullptr && ir::exact_number(*factor) == -1;
}

/// Fault::prelu_axis.
bool is_scaled_negative_part(const ir::Node& node) {
  const ir::Value* const slope = constant_operand(node);
  return slope != nullptr && slope->shape().element_count() != 1 &&
         std::ranges::any_of(node.inputs(), is_negative_part);
}

/// Fault::product_axis_constants.
bool precedes_axis_constant(const ir::Node& node) {
  const ir::PartialShape& shape = node.output(0).shape;
  if (!shape.has_rank() || shape.rank() < 4 || shape.is_static()) return false;
  return std::ranges::any_of(chain_after(node), [&](const ir::Node* reader) {
    const ir::Value* const constant = constant_operand(*reader);
    return constant != nullptr && axes_of(*constant, shape.rank()) == std::vector<std::size_t>{1};
  });
}

/// Whether the value is a convolution, possibly with arithmetic with constants.
bool is_convolved(ir::Value value) {
  for (int depth = 0; depth < 4; ++depth) {
    const ir::Node& node = *value.node;
    if (node.is_one_of(kConvolutions)) return true;
    if (!node.op().traits.is_arithmetic || node.inputs().size() != 2) return false;
    value = ir::is_computed_from_constants(node.input(0)) ? node.input(1) : node.input(0);
  }
  return false;
}

/// Whether an activation is not monotone: the maximum of its results is not the result of the maximum.
bool is_not_monotone(const ir::Node& node) {
  return node.is_one_of({ops::Abs, ops::Gelu, ops::Swish, ops::HSwish, ops::Mish, ops::PReLU}) ||
         (node.is(ops::Elu) && ir::EluView(node).alpha() < 0);
}

/// Fault::activation_before_pool. OpenVINO may fuse operations that read the pool twice, such as x *
/// Sigmoid(x).
bool precedes_activation(ir::MaxPoolView pool) {
  if (!is_convolved(pool.data())) return false;
  const auto& uses = pool.output(0).uses;
  if (uses.size() > 1) {
    return std::ranges::all_of(uses, [](const ir::Use& use) { return is_elementwise(*use.node); });
  }
  return std::ranges::any_of(chain_after(pool),
                             [](const ir::Node* reader) { return is_not_monotone(*reader); });
}

/// Whether a sum of dynamic shape may have another shape than its operands.
bool may_broadcast(ir::Value left, ir::Value right) {
  const ir::PartialShape& a = left.shape();
  const ir::PartialShape& b = right.shape();
  if (!a.has_rank() || !b.has_rank() || (a.is_static() && b.is_static())) return false;
  if (a.rank() != b.rank()) return true;
  for (std::size_t axis = 0; axis < a.rank(); ++axis) {
    if (a[axis].is_static() || b[axis].is_static()) {
      if (a[axis] != b[axis]) return true;
    } else if ((a[axis].admits(1) || b[axis].admits(1)) && !ir::have_equal_sizes(left, axis, right, axis)) {
      return true;
    }
  }
  return false;
}

/// Fault::convolution_sum_shape.
bool precedes_broadcast_sum(const ir::Node& node) {
  const std::vector<const ir::Node*> chain = chain_after(node);
  const auto is_sum = [](const ir::Node* reader) {
    return reader->is(ops::Add) && constant_operand(*reader) == nullptr;
  };
  const auto sum = std::ranges::find_if(chain, is_sum);
  return sum != chain.end() && may_broadcast((*sum)->input(0), (*sum)->input(1));
}

/// Fault::attention_output_rank: whether an attention is an output of the model, possibly after elementwise
/// operations.
bool is_attention_output(ir::MatMulView product) {
  if (!product.output(0).shape.is_static() || !product.a().node->is(ops::SoftMax)) return false;
  const auto is_result = [](const ir::Use& use) { return use.node->is(ops::Result); };
  const std::vector<const ir::Node*> chain = chain_after(product);
  return std::ranges::any_of(product.output(0).uses, is_result) ||
         (!chain.empty() && std::ranges::any_of(chain.back()->output(0).uses, is_result));
}

/// Fault::attention_rank: elementwise operations behind an attention that give the result more axes.
bool widens_attention(ir::MatMulView product) {
  const ir::PartialShape& shape = product.output(0).shape;
  if (!product.a().node->is(ops::SoftMax) || !shape.has_rank()) return false;
  return std::ranges::any_of(chain_after(product), [&](const ir::Node* reader) {
    const ir::PartialShape& result = reader->output(0).shape;
    return result.has_rank() && result.rank() > shape.rank();
  });
}

/// Fault::space_to_batch_shape.
bool is_padded_for_blocks(ir::SpaceToDepthView blocks) {
  constexpr ir::OperationSet kMoves = {ops::Reshape, ops::Transpose, ops::Pad};
  const auto is_moved = [&](const ir::Use& use) { return use.node->is_one_of(kMoves); };
  if (!std::ranges::any_of(blocks.output(0).uses, is_moved)) return false;
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
    return input.shape().has_rank() && input.shape().rank() == 1 && ir::is_computed_from_constants(input);
  });
  return has_vector && std::ranges::any_of(chain_after(node), [](const ir::Node* reader) {
           return constant_operand(*reader) != nullptr;
         });
}

/// Whether `result`, a sum, has more elements than `part` along an axis of which that has one.
bool has_more_rows(const ir::PartialShape& result, const ir::PartialShape& part) {
  if (!part.has_rank() || !result.has_rank() || part.rank() != result.rank()) return false;
  for (std::size_t axis = 0; axis < part.rank(); ++axis) {
    if (part[axis].max == 1 && result[axis] != part[axis]) return true;
  }
  return false;
}

/// Fault::rotary_shape: whether a rotary embedding of one sequence becomes one of several, or what looks like
/// one turns parts of different sizes.
bool is_rotated_half(const ir::Node& node) {
  const bool has_unequal_parts = node.inputs().size() == 2 && node.input(0).shape() != node.input(1).shape();
  const auto is_affected_sum = [&](const ir::Use& use) {
    return use.node->is(ops::Add) &&
           (has_unequal_parts || has_more_rows(use.node->output(0).shape, node.output(0).shape));
  };
  return std::ranges::any_of(node.output(0).uses, [&](const ir::Use& use) {
    return use.node->is(ops::Multiply) && std::ranges::any_of(use.node->output(0).uses, is_affected_sum);
  });
}

/// Fault::channels_from_factor.
bool makes_channels(const ir::Node& node) {
  const ir::Value* const constant = constant_operand(node);
  const ir::Node* const reader = only_reader(node);
  constexpr ir::OperationSet kReaders = {ops::Convolution, ops::GroupConvolution,
                                         ops::ConvolutionBackpropData, ops::GroupConvolutionBackpropData};
  if (constant == nullptr || reader == nullptr || !reader->is_one_of(kReaders)) return false;
  if (reader->input(0).node != &node) return false;
  const ir::PartialShape& data = (node.input(0) == *constant ? node.input(1) : node.input(0)).shape();
  const ir::PartialShape& result = node.output(0).shape;
  if (!data.has_rank() || !result.has_rank() || data.rank() < 2) return true;
  return data.rank() != result.rank() || result[1] != data[1];
}

/// Fault::factor_along_kernel.
bool scales_along_kernel(const ir::Node& node) {
  const ir::Value* const constant = constant_operand(node);
  const ir::Node* const reader = only_reader(node);
  const ir::PartialShape& shape = node.output(0).shape;
  if (constant == nullptr || reader == nullptr || !shape.has_rank()) return false;
  if (!reader->is_one_of({ops::Convolution, ops::GroupConvolution})) return false;
  const std::vector<std::size_t> axes = axes_of(*constant, shape.rank());
  return !axes.empty() && axes.back() > 1;
}

/// Fault::sum_of_scalar.
bool precedes_sum_with_scalar(ir::MatMulView product) {
  const ir::Node* sum = only_reader(product);
  // OpenVINO moves a Transpose after the sum, and removes factors of 1.
  while (sum != nullptr && sum->is_one_of({ops::Transpose, ops::Multiply, ops::Divide}))
    sum = only_reader(*sum);
  const ir::PartialShape& shape = product.output(0).shape;
  if (sum == nullptr || !sum->is_one_of({ops::Add, ops::Subtract}) || !shape.has_rank()) return false;
  const ir::Value* const constant = constant_operand(*sum);
  return shape.rank() > 3 &&
         (ir::is_computed_from_constants(product.a()) || ir::is_computed_from_constants(product.b())) &&
         constant != nullptr && constant->shape().element_count() == 1;
}

/// Fault::dynamic_attention_mask.
bool is_attention_with_dynamic_mask(const ir::Node& softmax) {
  const ir::Node& sum = *softmax.input(0).node;
  const auto is_static = [](ir::Value operand) { return operand.shape().is_static(); };
  return sum.is_one_of({ops::Add, ops::Subtract}) && std::ranges::any_of(sum.inputs(), is_static) &&
         !std::ranges::all_of(sum.inputs(), is_static) &&
         std::ranges::any_of(softmax.output(0).uses,
                             [](const ir::Use& use) { return use.node->is(ops::MatMul); });
}

/// Fault::dynamic_attention_values.
bool weighs_dynamic_values(const ir::Node& softmax) {
  return softmax.output(0).shape.is_static() &&
         std::ranges::any_of(softmax.output(0).uses, [](const ir::Use& use) {
           const auto product = ir::match<ir::MatMulView>(*use.node);
           return product && use.index == ir::MatMulView::Input::a && !product->b().shape().is_static();
         });
}

/// Fault::attention_broadcast: both operands of the next operation may have different sizes.
bool is_broadcast_attention(ir::MatMulView product) {
  if (!product.a().node->is(ops::SoftMax)) return false;
  const ir::Node* reader = only_reader(product);
  while (reader != nullptr && reader->inputs().size() == 1 && reader->op().traits.keeps_shape)
    reader = only_reader(*reader);
  if (reader == nullptr || !reader->op().traits.broadcasts || reader->inputs().size() != 2) return false;
  const ir::PartialShape& result = reader->output(0).shape;
  const ir::Value left = reader->input(0);
  const ir::Value right = reader->input(1);
  if (constant_operand(*reader) != nullptr || !result.has_rank()) return false;
  if (left.shape().is_static() && right.shape().is_static()) return false;
  return left.shape().rank() != right.shape().rank() ||
         !ir::have_equal_sizes(left, 0, right, 0, result.rank());
}

/// Fault::slice_before_gather_elements.
bool is_gathered_slice(const ir::Node& slice) {
  return std::ranges::any_of(slice.output(0).uses, [](const ir::Use& use) {
    return use.node->is(ops::GatherElements) && use.index == ir::GatherElementsView::Input::data;
  });
}

/// Whether `node` is a Reduce that removes axes and keeps others of size 1.
bool is_unit_reduction(const ir::Node& node) {
  if (!node.op().traits.is_reduction || ir::ReductionView(node).keep_dims()) return false;
  const ir::PartialShape& shape = node.output(0).shape;
  return shape.has_rank() && shape.rank() > 1 && std::ranges::find(shape, ir::Dimension(1)) != shape.end();
}

/// Fault::transposed_unit_reduction: OpenVINO moves the Transpose after the Reduce, also after a
/// FakeQuantize.
bool precedes_unit_reduction(const ir::Node& node) {
  const auto& uses = node.output(0).uses;
  return std::ranges::any_of(uses, [&](const ir::Use& use) {
    const ir::Node* reader = use.node;
    if (reader->is(ops::FakeQuantize)) {
      reader = only_reader(*reader);
    } else if (uses.size() > 1) {
      return false;
    }
    return reader != nullptr && is_unit_reduction(*reader);
  });
}

std::int64_t count_units(const ir::PartialShape& shape) {
  return std::ranges::count_if(shape, [](const ir::Dimension& size) { return size.admits(1); });
}

/// Whether OpenVINO may remove the Reshape `node` behind a Reduce that does not keep its axes. `reduced` is
/// the result of the Reduce. OpenVINO takes the Reshape for one that restores the axes if it has the rank of
/// the data, and all of its sizes but one are copied or are 1. The axes of the Reduce are not examined: they
/// are others once OpenVINO has moved the Reduce before an Unsqueeze, or merged it with a Reduce or
/// Transpose.
bool seems_to_restore_axes(const ir::PartialShape& reduced, const ir::Node& node) {
  const ir::PartialShape& result = node.output(0).shape;
  if (!result.has_rank() || result.rank() < 2 || result.rank() > reduced.rank() || result == reduced)
    return false;
  const std::ptrdiff_t units = std::ranges::count(reduced, ir::Dimension(1));
  if (result.rank() + static_cast<std::size_t>(units) < reduced.rank()) return false;
  const auto reshape = ir::match<ir::ReshapeView>(node);
  const auto wanted = reshape && reshape->special_zero() ? ir::exact_values(reshape->shape()) : std::nullopt;
  std::ptrdiff_t copied = std::ranges::count(result, ir::Dimension(1));
  if (wanted) copied += std::ranges::count(*wanted, 0);
  return copied + 1 >= static_cast<std::ptrdiff_t>(result.rank());
}

/// Whether `reduced` is read by a Transpose that may move axes of size 1 of it.
bool has_unit_transpose(const ir::Output& reduced) {
  return count_units(reduced.shape) > 0 &&
         std::ranges::any_of(reduced.uses, [](const ir::Use& use) { return use.node->is(ops::Transpose); });
}

/// Whether OpenVINO may merge `node` with a Reshape before or behind it, or remove it: arithmetic with one
/// number that is 0 or 1, possibly only together with the next one.
bool may_join_reshapes(const ir::Node& node) {
  if (node.op().traits.reshapes || node.is(ops::Transpose)) return true;
  if (!node.is_one_of({ops::Add, ops::Subtract, ops::Multiply, ops::Divide})) return false;
  const ir::Value* const constant = constant_operand(node);
  return constant != nullptr && constant->shape().element_count() == 1;
}

/// Fault::transposed_unit_reduction. OpenVINO merges consecutive Reshapes, also those with several readers.
bool is_transposed_reduction(ir::ReductionView reduction) {
  constexpr std::size_t kMostReshapes = 16;
  const ir::Output& reduced = reduction.output(0);
  if (reduction.keep_dims() || !reduced.shape.has_rank()) return false;
  if (has_unit_transpose(reduced)) return true;
  std::vector<const ir::Node*> reshapes = {&reduction.node()};
  for (std::size_t i = 0; i < reshapes.size(); ++i) {
    for (const ir::Use& use : reshapes[i]->output(0).uses) {
      if (!may_join_reshapes(*use.node)) continue;
      if (seems_to_restore_axes(reduced.shape, *use.node)) return true;
      if (reshapes.size() <= kMostReshapes) reshapes.push_back(use.node);
    }
  }
  return false;
}

/// Fault::dynamic_reduce_channels. The size 1, with which the constant widens the result, cannot be excluded.
bool precedes_channel_constant(ir::ReductionView reduction) {
  constexpr int kMostFused = 32;
  const ir::PartialShape& data = reduction.data().shape();
  const ir::PartialShape& reduced = reduction.output(0).shape;
  if (!data.has_rank() || data.rank() < 2 || data[1].is_static() || !data[1].admits(1)) return false;
  const auto axes = ir::exact_values(reduction.axes());
  if (!axes || !reduced.has_rank()) return false;
  const auto is_reduced = [&](std::size_t axis) {
    return std::ranges::any_of(
        *axes, [&](std::int64_t other) { return ir::normalize_axis(other, data.rank()) == axis; });
  };
  if (is_reduced(1)) return false;
  const std::size_t channels = !reduction.keep_dims() && is_reduced(0) ? 0 : 1;
  const ir::Node* reader = fused_reader(reduction);
  for (int count = 0; count < kMostFused && reader != nullptr; ++count) {
    const ir::Value* const constant = constant_operand(*reader);
    // Another operand widens the result; nothing behind it is fused.
    if (constant == nullptr && reader->inputs().size() > 1) return false;
    if (constant != nullptr && std::ranges::count(axes_of(*constant, reduced.rank()), channels) > 0)
      return true;
    reader = fused_reader(*reader);
  }
  return false;
}

/// Fault::repeated_softmax.
bool is_repeated_softmax(const ir::Node& node) {
  const auto& uses = node.output(0).uses;
  return std::ranges::any_of(uses, [&](const ir::Use& use) {
    const auto is_same = [&](const ir::Use& other) { return other.node == use.node; };
    return use.node->is(ops::Concat) && std::ranges::count_if(uses, is_same) > 1;
  });
}

ir::OperationSet reductions() {
  return operations_with([](const ir::Traits& traits) { return traits.is_reduction; });
}

}  // namespace

Workaround separate_fused_operations() {
  return {
      .name = "separate_fused_operations",
      .stage = Stage::kernels,
      .summary = "Keeps operations apart that OpenVINO would fuse wrongly",
      .rows = {
          LegalizationRow{Fault::activation_before_pool,
                          {ops::MaxPool},
                          must_be_separated<precedes_activation>,
                          separate_from_uses},
          LegalizationRow{Fault::attention_broadcast,
                          {ops::MatMul},
                          must_be_separated<is_broadcast_attention>,
                          separate_from_uses},
          LegalizationRow{Fault::attention_output_rank,
                          {ops::MatMul},
                          must_be_separated<is_attention_output>,
                          separate_from_uses},
          LegalizationRow{
              Fault::attention_rank, {ops::MatMul}, must_be_separated<widens_attention>, separate_from_uses},
          LegalizationRow{Fault::channels_from_factor,
                          {ops::Multiply, ops::Divide},
                          must_be_separated<makes_channels>,
                          separate_from_uses},
          LegalizationRow{Fault::dynamic_attention_mask,
                          {ops::SoftMax},
                          must_be_separated<is_attention_with_dynamic_mask>,
                          separate_from_uses},
          LegalizationRow{Fault::dynamic_attention_values,
                          {ops::SoftMax},
                          must_be_separated<weighs_dynamic_values>,
                          separate_from_uses},
          LegalizationRow{Fault::dynamic_reduce_channels, reductions(),
                          must_be_separated<precedes_channel_constant>, separate_from_uses},
          LegalizationRow{Fault::factor_along_kernel,
                          {ops::Multiply, ops::Divide},
                          must_be_separated<scales_along_kernel>,
                          separate_from_uses},
          LegalizationRow{Fault::sum_of_scalar,
                          {ops::MatMul},
                          must_be_separated<precedes_sum_with_scalar>,
                          separate_from_uses},
          LegalizationRow{Fault::convolution_sum_shape, kConvolutions,
                          must_be_separated<precedes_broadcast_sum>, separate_from_uses},
          LegalizationRow{Fault::prelu_axis,
                          {ops::Multiply},
                          must_be_separated<is_scaled_negative_part>,
                          separate_from_uses},
          LegalizationRow{Fault::product_axis_constants,
                          {ops::MatMul},
                          must_be_separated<precedes_axis_constant>,
                          separate_from_uses},
          LegalizationRow{Fault::repeated_softmax,
                          {ops::SoftMax},
                          must_be_separated<is_repeated_softmax>,
                          separate_from_uses},
          LegalizationRow{
              Fault::rotary_shape, {ops::Concat}, must_be_separated<is_rotated_half>, separate_from_uses},
          LegalizationRow{Fault::scaled_vector_product,
                          {ops::MatMul},
                          must_be_separated<is_scaled_vector_product>,
                          separate_from_uses},
          LegalizationRow{Fault::slice_before_gather_elements,
                          {ops::Slice},
                          must_be_separated<is_gathered_slice>,
                          separate_from_uses},
          LegalizationRow{Fault::space_to_batch_shape,
                          {ops::SpaceToDepth},
                          must_be_separated<is_padded_for_blocks>,
                          separate_from_uses},
          LegalizationRow{Fault::transposed_unit_reduction, reductions(),
                          must_be_separated<is_transposed_reduction>, separate_from_uses},
          LegalizationRow{Fault::transposed_unit_reduction,
                          {ops::Transpose},
                          must_be_separated<precedes_unit_reduction>,
                          separate_from_uses}}};
}

}  // namespace onnx2ir::passes
