// Workarounds for fusions of OpenVINO that give wrong results or do not compile. The rows list the operations
// at which such a fusion begins, or through which it passes. An opaque copy of their result keeps them apart
// from the operations that read them.
#include <algorithm>
#include <array>
#include <vector>

#include "ir/known_values.hpp"
#include "passes/constant_values.hpp"
#include "passes/dequantized_weights.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/run_time_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kConvolutions = {ops::Convolution, ops::GroupConvolution};
constexpr int kMostFused = 32;

/// The only operation that reads output 0 of `node`; null if there are several.
const ir::Node* only_reader(const ir::Node& node) {
  const auto& uses = node.output(0).uses;
  return uses.size() == 1 ? uses.front().node : nullptr;
}

bool is_elementwise(const ir::Node& node) {
  const ir::Traits& traits = node.op().traits;
  return (traits.broadcasts || traits.keeps_shape) && !traits.is_kept;
}

/// The elementwise operations that are the only readers one after the other, the first one first.
std::vector<const ir::Node*> chain_after(const ir::Node& node) {
  std::vector<const ir::Node*> chain;
  const ir::Node* reader = only_reader(node);
  while (reader != nullptr && is_elementwise(*reader) && chain.size() < kMostFused) {
    chain.push_back(reader);
    reader = only_reader(*reader);
  }
  return chain;
}

const ir::Node* reader_after(const ir::Node& node, const std::vector<const ir::Node*>& chain) {
  return only_reader(chain.empty() ? node : *chain.back());
}

/// The constant operand of an elementwise operation; null if it has none.
const ir::Value* constant_operand(const ir::Node& node) {
  const auto found = std::ranges::find_if(node.inputs(), [](ir::Value input) { return is_folded(input); });
  return found == node.inputs().end() ? nullptr : &*found;
}

/// The axes of a tensor of `rank` axes along which the constant has several elements.
std::vector<std::size_t> axes_of(const ir::Value& constant, std::size_t rank) {
  std::vector<std::size_t> axes;
  const ir::PartialShape& shape = constant.shape();
  if (!shape.has_rank() || shape.rank() > rank) return axes;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != ir::Dimension(1)) axes.push_back(axis + rank - shape.rank());
  }
  return axes;
}

/// Fault::shared_quantized_convolution.
bool is_shared_quantized_convolution(const ir::Node& node) {
  return node.output(0).uses.size() > 1 && !node.output(0).shape.is_static() &&
         !node.input(1).node->is(ops::Const);
}

/// Whether the value is the ReLU of another value times -1.
bool is_negative_part(ir::Value value) {
  if (!value.node->is(ops::ReLU)) return false;
  const ir::Node& source = *value.node->input(0).node;
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
    value = is_folded(node.input(0)) ? node.input(1) : node.input(0);
  }
  return false;
}

/// Whether an activation is not monotone: the maximum of its results is not the result of the maximum.
bool is_not_monotone(const ir::Node& node) {
  return node.is_one_of({ops::Abs, ops::Gelu, ops::Swish, ops::HSwish, ops::Mish, ops::PReLU}) ||
         (node.is(ops::Elu) && node.real("alpha") < 0);
}

/// Fault::activation_before_pool. OpenVINO may fuse operations that read the pool twice, such as x *
/// Sigmoid(x).
bool precedes_activation(const ir::Node& node) {
  if (!is_convolved(node.input(0))) return false;
  const auto& uses = node.output(0).uses;
  if (uses.size() > 1) {
    return std::ranges::all_of(uses, [](const ir::Use& use) { return is_elementwise(*use.node); });
  }
  return std::ranges::any_of(chain_after(node),
                             [](const ir::Node* reader) { return is_not_monotone(*reader); });
}

/// Whether a sum of dynamic shape may have another shape than its operands. Sizes that are dynamic in both
/// are assumed to be equal, as in residual networks.
bool may_broadcast(const ir::PartialShape& left, const ir::PartialShape& right) {
  if (!left.has_rank() || !right.has_rank() || (left.is_static() && right.is_static())) return false;
  if (left.rank() != right.rank()) return true;
  for (std::size_t axis = 0; axis < left.rank(); ++axis) {
    if (left[axis].is_dynamic() && right[axis].is_dynamic()) continue;
    if (left[axis] != right[axis]) return true;
  }
  return false;
}

/// Fault::convolution_sum_shape.
bool precedes_broadcast_sum(const ir::Node& node) {
  const ir::Node* value = &node;
  for (const ir::Node* reader : chain_after(node)) {
    if (reader->is(ops::Add) && constant_operand(*reader) == nullptr) {
      const ir::Value other = reader->input(0).node == value ? reader->input(1) : reader->input(0);
      return may_broadcast(value->output(0).shape, other.shape());
    }
    value = reader;
  }
  return false;
}

/// The operand of a FakeQuantize or of arithmetic with a constant that is not constant; null if all are.
const ir::Value* data_operand(const ir::Node& node) {
  const auto found = std::ranges::find_if(node.inputs(), [](ir::Value input) { return !is_folded(input); });
  return found == node.inputs().end() ? nullptr : &*found;
}

/// The axes along which a FakeQuantize, or arithmetic with a constant, differs.
std::vector<std::size_t> scaled_axes(const ir::Node& node) {
  const ir::PartialShape& shape = node.output(0).shape;
  std::vector<std::size_t> axes;
  if (!shape.has_rank()) return axes;
  if (node.is(ops::FakeQuantize)) {
    for (std::size_t input = 1; input < node.inputs().size() && axes.empty(); ++input) {
      axes = axes_of(node.input(input), shape.rank());
    }
  } else if (node.op().traits.is_arithmetic) {
    if (const ir::Value* const scale = constant_operand(node)) axes = axes_of(*scale, shape.rank());
  }
  return axes;
}

/// The part of the chain before a conversion.
std::vector<const ir::Node*> chain_until_conversion(const ir::Node& node) {
  std::vector<const ir::Node*> chain = chain_after(node);
  chain.erase(std::ranges::find_if(chain, [](const ir::Node* reader) { return reader->is(ops::Convert); }),
              chain.end());
  return chain;
}

/// Fault::quantized_axis_constants. OpenVINO takes each constant factor for the scale of a dequantisation.
bool precedes_constant_of_another_axis(const ir::Node& node) {
  const std::vector<std::size_t> axes = scaled_axes(node);
  if (axes.empty()) return false;
  return std::ranges::any_of(chain_until_conversion(node), [&](const ir::Node* reader) {
    if (!reader->is_one_of({ops::Add, ops::Subtract})) return false;
    const std::vector<std::size_t> others = scaled_axes(*reader);
    return !others.empty() && others != axes;
  });
}

/// Fault::quantized_dynamic_channels.
bool precedes_quantization(const ir::Node& node) {
  const std::vector<std::size_t> axes = scaled_axes(node);
  const ir::Value* const data = axes.empty() ? nullptr : data_operand(node);
  if (data == nullptr) return false;
  const ir::PartialShape& shape = data->shape();
  const std::size_t rank = node.output(0).shape.rank();
  const bool is_dynamic =
      !shape.has_rank() || shape.rank() != rank ||
      std::ranges::any_of(axes, [&](std::size_t axis) { return shape[axis].is_dynamic(); });
  const auto is_quantization = [](const ir::Node* reader) { return reader->is(ops::FakeQuantize); };
  return is_dynamic && std::ranges::any_of(chain_until_conversion(node), is_quantization);
}

/// Fault::quantized_channel_factors. The signs of the factors are not examined.
bool scales_before_quantization(const ir::Node& node) {
  if (node.output(0).shape.is_static()) return false;
  const auto is_quantization = [](const ir::Node* reader) { return reader->is(ops::FakeQuantize); };
  return !scaled_axes(node).empty() && std::ranges::any_of(chain_until_conversion(node), is_quantization);
}

/// Fault::quantized_scalar_gather.
bool precedes_scalar_gather(const ir::Node& node) {
  if (scaled_axes(node).empty()) return false;
  const ir::Node* const reader = reader_after(node, chain_after(node));
  if (reader == nullptr) return false;
  if (reader->op().traits.is_reduction) return true;
  return reader->is(ops::Gather) && reader->input(1).shape().is_scalar();
}

/// Fault::attention_output_rank: whether an attention is an output of the model, possibly after elementwise
/// operations.
bool is_attention_output(const ir::Node& node) {
  if (!node.output(0).shape.is_static() || !node.input(0).node->is(ops::SoftMax)) return false;
  const auto is_result = [](const ir::Use& use) { return use.node->is(ops::Result); };
  const std::vector<const ir::Node*> chain = chain_after(node);
  return std::ranges::any_of(node.output(0).uses, is_result) ||
         (!chain.empty() && std::ranges::any_of(chain.back()->output(0).uses, is_result));
}

/// Fault::space_to_batch_shape.
bool is_padded_for_blocks(const ir::Node& node) {
  constexpr ir::OperationSet kMoves = {ops::Reshape, ops::Transpose, ops::Pad};
  const ir::Node* const reader = only_reader(node);
  if (reader == nullptr || !reader->is_one_of(kMoves)) return false;
  bool is_padded = false;
  const ir::Node* source = node.input(0).node;
  for (int depth = 0; depth < 4 && source->is_one_of(kMoves); ++depth) {
    is_padded = is_padded || source->is(ops::Pad);
    source = source->input(0).node;
  }
  return is_padded;
}

/// Fault::consecutive_unit_products.
bool precedes_unit_product(const ir::Node& node) {
  const ir::Node* const next = reader_after(node, chain_after(node));
  return next != nullptr && next->is(ops::MatMul) && is_folded(next->input(1)) &&
         next->input(1).shape().element_count() == 1;
}

/// Fault::scaled_vector_product.
bool is_scaled_vector_product(const ir::Node& node) {
  const bool has_vector = std::ranges::any_of(node.inputs(), [](ir::Value input) {
    return input.shape().has_rank() && input.shape().rank() == 1 && is_folded(input);
  });
  return has_vector && std::ranges::any_of(chain_after(node), [](const ir::Node* reader) {
           return constant_operand(*reader) != nullptr;
         });
}

/// Fault::rotary_shape: whether a rotary embedding of one sequence becomes one of several.
bool is_rotated_half(const ir::Node& node) {
  const ir::Node* const product = only_reader(node);
  if (product == nullptr || !product->is(ops::Multiply)) return false;
  const ir::PartialShape& shape = node.output(0).shape;
  return std::ranges::any_of(product->output(0).uses, [&](const ir::Use& use) {
    if (!use.node->is(ops::Add)) return false;
    const ir::PartialShape& result = use.node->output(0).shape;
    if (!shape.has_rank() || !result.has_rank() || shape.rank() != result.rank()) return false;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis].max == 1 && result[axis] != shape[axis]) return true;
    }
    return false;
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

/// Fault::split_convolution_concat.
bool is_joined_with_input(const ir::Node& node) {
  if (!node.input(0).node->is_one_of({ops::Split, ops::VariadicSplit})) return false;
  const auto rank = static_cast<std::int64_t>(node.output(0).shape.rank());
  return std::ranges::any_of(node.output(0).uses, [&](const ir::Use& use) {
    if (!use.node->is(ops::Concat)) return false;
    const std::int64_t axis = use.node->integer("axis");
    if (axis != 1 && axis + rank != 1) return true;
    return std::ranges::any_of(use.node->inputs(),
                               [](ir::Value input) { return input.node->inputs().empty(); });
  });
}

/// Fault::transposed_unit_reduction: OpenVINO moves the Transpose after the Reduce.
bool precedes_unit_reduction(const ir::Node& node) {
  const ir::Node* const reader = only_reader(node);
  if (reader == nullptr || !reader->op().traits.is_reduction) return false;
  if (reader->find_attribute("keep_dims") == nullptr || reader->boolean("keep_dims")) return false;
  const ir::PartialShape& shape = reader->output(0).shape;
  return shape.has_rank() && shape.rank() > 1 && std::ranges::find(shape, ir::Dimension(1)) != shape.end();
}

/// Fault::transposed_unit_reduction.
bool is_transposed_reduction(const ir::Node& node) {
  if (node.find_attribute("keep_dims") == nullptr || node.boolean("keep_dims")) return false;
  const ir::Node* const reader = only_reader(node);
  const ir::PartialShape& shape = node.output(0).shape;
  if (reader == nullptr || !reader->is_one_of({ops::Transpose, ops::Reshape}) || !shape.has_rank())
    return false;
  if (reader->is(ops::Reshape)) {
    const ir::PartialShape& result = reader->output(0).shape;
    return !result.has_rank() || (result.rank() == shape.rank() && result != shape);
  }
  return std::ranges::any_of(shape, [](const ir::Dimension& size) { return size.admits(1); });
}

/// Whether an opaque copy has separated `node` from its uses.
bool is_copied(const ir::Node& node) {
  const auto& uses = node.output(0).uses;
  return uses.size() == 2 && uses[0].node == uses[1].node;
}

/// Whether the result of `node` must be kept apart: `kApplies` holds, and the node is no step of quantised
/// weights.
template <bool (*kApplies)(const ir::Node& node)>
bool must_be_separated(const ir::Node& node) {
  return !is_copied(node) && kApplies(node) && !computes_weights(node);
}

/// The same for faults that only graphs with a FakeQuantize have.
template <bool (*kApplies)(const ir::Node& node)>
bool must_be_separated_if_quantized(const ir::Node& node) {
  return node.graph().may_hold({ops::FakeQuantize}) && must_be_separated<kApplies>(node);
}

const ir::OperationSet& arithmetic() {
  static const ir::OperationSet kArithmetic =
      operations_with([](const ir::Traits& traits) { return traits.is_arithmetic; });
  return kArithmetic;
}

ir::OperationSet arithmetic_and_quantization() {
  ir::OperationSet operations = arithmetic();
  operations.add(ops::FakeQuantize);
  return operations;
}

ir::OperationSet reductions() {
  return operations_with([](const ir::Traits& traits) { return traits.is_reduction; });
}

}  // namespace

Workaround separate_fused_operations() {
  return {.name = "separate_fused_operations",
          .stage = Stage::kernels,
          .summary = "Keeps operations apart that OpenVINO would fuse wrongly",
          .rows = {
              LegalizationRow{Fault::activation_before_pool,
                              {ops::MaxPool},
                              must_be_separated<precedes_activation>,
                              separate_from_uses},
              LegalizationRow{Fault::attention_output_rank,
                              {ops::MatMul},
                              must_be_separated<is_attention_output>,
                              separate_from_uses},
              LegalizationRow{Fault::channels_from_factor,
                              {ops::Multiply, ops::Divide},
                              must_be_separated<makes_channels>,
                              separate_from_uses},
              LegalizationRow{Fault::consecutive_unit_products,
                              {ops::MatMul},
                              must_be_separated<precedes_unit_product>,
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
              LegalizationRow{Fault::quantized_axis_constants,
                              {ops::FakeQuantize, ops::Multiply},
                              must_be_separated_if_quantized<precedes_constant_of_another_axis>,
                              separate_from_uses},
              LegalizationRow{Fault::quantized_channel_factors,
                              {ops::Multiply, ops::Divide},
                              must_be_separated_if_quantized<scales_before_quantization>,
                              separate_from_uses},
              LegalizationRow{Fault::quantized_dynamic_channels, arithmetic_and_quantization(),
                              must_be_separated_if_quantized<precedes_quantization>, separate_from_uses},
              LegalizationRow{Fault::quantized_scalar_gather, arithmetic_and_quantization(),
                              must_be_separated<precedes_scalar_gather>, separate_from_uses},
              LegalizationRow{
                  Fault::rotary_shape, {ops::Concat}, must_be_separated<is_rotated_half>, separate_from_uses},
              LegalizationRow{Fault::scaled_vector_product,
                              {ops::MatMul},
                              must_be_separated<is_scaled_vector_product>,
                              separate_from_uses},
              LegalizationRow{Fault::shared_quantized_convolution, kConvolutions,
                              must_be_separated<is_shared_quantized_convolution>, separate_from_uses},
              LegalizationRow{Fault::space_to_batch_shape,
                              {ops::SpaceToDepth},
                              must_be_separated<is_padded_for_blocks>,
                              separate_from_uses},
              LegalizationRow{Fault::split_convolution_concat,
                              {ops::Convolution},
                              must_be_separated<is_joined_with_input>,
                              separate_from_uses},
              LegalizationRow{Fault::transposed_unit_reduction, reductions(),
                              must_be_separated<is_transposed_reduction>, separate_from_uses},
              LegalizationRow{Fault::transposed_unit_reduction,
                              {ops::Transpose},
                              must_be_separated<precedes_unit_reduction>,
                              separate_from_uses}}};
}

}  // namespace onnx2ir::passes
