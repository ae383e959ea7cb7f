// Workarounds for Gathers, reductions and pools of quantised numbers with scales or zero points along an
// axis. OpenVINO moves these after the operation, where the axis has another position or does not exist. A
// Gather by a scalar becomes a Gather by a vector of one element and a Squeeze, which are computed correctly;
// an opaque copy separates the other operations.
#include <algorithm>
#include <vector>

#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/quantization.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `node` is a product of integers, as those of MatMulInteger.
bool is_integer_product(const ir::Node& node) {
  return kProducts.contains(node.op().id) && converted_integers(node.input(0)).has_value();
}

/// Whether `node` multiplies a product of integers by a constant.
bool scales_integer_product(const ir::Node& node) {
  const bool is_factor = node.is_one_of(kFactors);
  const ir::Value data = is_factor ? variable_operand(node) : ir::Value{};
  return data && is_integer_product(*data.node);
}

/// Fault::quantized_scalar_gather: a Reduce.
bool precedes_reduction(const ir::Node& node) {
  // Tested first, because all arithmetic is examined.
  if (!node.graph().may_hold(kReductions) || scaled_axes(node).empty()) return false;
  if (integers_of(node) == nullptr && !scales_integer_product(node)) return false;
  return any_is_one_of(readers_past_moves(node), kReductions);
}

/// Whether `node` is a product of quantised numbers and quantised weights.
bool is_quantized_product(const ir::Node& node) {
  if (!kProducts.contains(node.op().id)) return false;
  const ir::Value weights = node.input(1);
  return ir::is_computed_from_constants(weights) && !weights.node->is(ops::Const) &&
         integers_of(*node.input(0).node) != nullptr;
}

/// Whether `node` joins quantised numbers, whose scales may differ.
bool joins_integers(const ir::Node& node) {
  return node.is(ops::Concat) &&
         std::ranges::any_of(node.inputs(), [](ir::Value part) { return holds_integers(part); });
}

/// Whether OpenVINO may take the numbers of `node` for integers with several scales. Of numbers that are not
/// quantised, it takes constant factors for scales.
bool has_scales(const ir::Node& node) {
  if (is_quantized_product(node) || joins_integers(node)) return true;
  if (scaled_axes(node).empty()) return false;
  return integers_of(node) != nullptr || node.is_one_of(kFactors);
}

/// Whether `found` holds for a node that gives `value`, or for one from which OpenVINO may move scales to it.
bool is_moved_from(ir::Value value, bool (*found)(const ir::Node&)) {
  constexpr std::size_t kMostSources = 64;
  return any_before(value, kMostSources, [&](const ir::Node& source) {
    if (found(source)) return Search::found;
    const bool is_passed = is_elementwise(source) || moves_elements(source);
    const bool ends = !is_passed || source.is(ops::FakeQuantize) || is_opaque_copy(source);
    return ends ? Search::skip : Search::follow;
  });
}

/// The MatMul of quantised numbers and quantised weights that gives `value`. Gathers and constant factors may
/// follow it: OpenVINO merges the factors with the scale of the product. The result is null if `value` comes
/// from another operation.
const ir::Node* quantized_product_of(ir::Value value) {
  constexpr int kMostNodes = 65;
  const auto source = [](const ir::Node& node) {
    const auto gather = ir::match<ir::GatherView>(node);
    return gather ? gather->data() : scaled_operand(node);
  };
  const ir::Node* const product = find_before(*value.node, {ops::MatMul}, source, kMostNodes);
  return product != nullptr && is_quantized_product(*product) ? product : nullptr;
}

/// Fault::quantized_product_gather. OpenVINO moves the scale through each Gather.
bool gathers_product(ir::GatherView gather) {
  const ir::Node* const product = quantized_product_of(gather.data());
  if (product == nullptr) return false;
  const auto weights = weights_of(*product);
  return !weights || weights->weights.scale.shape().element_count() == 1;
}

/// Whether `node`, a pool or an Interpolate, may give a column numbers of another column.
bool changes_columns(const ir::Node& node) {
  if (const auto pool = ir::match<ir::AnyPoolView>(node)) {
    const std::size_t last = pool->kernel().size() - 1;
    return pool->kernel()[last] != 1 || pool->strides()[last] != 1;
  }
  const ir::PartialShape& before = node.input(0).shape();
  const ir::PartialShape& after = node.output(0).shape;
  if (!before.has_rank() || !after.has_rank()) return true;
  const ir::Dimension columns = after[after.rank() - 1];
  return columns.is_dynamic() || columns != before[before.rank() - 1];
}

/// Fault::quantized_product_pool. The columns of the product have scales or zero points of their own.
bool pools_product(const ir::Node& node) {
  return changes_columns(node) && quantized_product_of(node.input(0)) != nullptr;
}

/// Whether `node` joins numbers along the axis of the channels.
bool joins_channels(const ir::Node& node) {
  return node.is(ops::Concat) && (!node.output(0).shape.has_rank() || joined_axis(node) == 1);
}

/// Whether `node` joins quantised numbers along the axis of the channels.
bool joins_quantized_channels(const ir::Node& node) {
  return joins_channels(node) && joins_integers(node);
}

/// Fault::quantized_gather_of_part: a Gather of channels that a Concat joins.
bool gathers_joined_channels(ir::GatherView gather) {
  return ir::is_floating(gather.data().type()) && is_moved_from(gather.data(), joins_quantized_channels);
}

/// Whether `node` is a FakeQuantize that OpenVINO may move before a Concat of channels.
bool quantizes_joined_channels(const ir::Node& node) {
  const auto quantize = ir::match<ir::FakeQuantizeView>(node);
  return quantize && is_moved_from(quantize->data(), joins_channels);
}

/// Fault::quantized_scalar_gather: a Gather that changes the rank.
bool gathers_scaled(ir::GatherView gather) {
  if (!ir::is_floating(gather.data().type()) || gather.indices().shape().has_rank(1)) return false;
  return is_moved_from(gather.data(), has_scales) && !gathers_product(gather) &&
         !gathers_joined_channels(gather);
}

/// Gathers by a vector of the index, and removes its axis.
void gather_by_vector(ir::Builder& builder, ir::Node& node) {
  const ir::GatherView gather = node;
  if (!gather.indices().shape().is_scalar()) return separate_from_input(builder, node);
  const ir::Value index = ir::unsqueeze(builder, gather.indices(), {0});
  const ir::Value row = builder.op(ops::Gather, {gather.data(), index, gather.axis()}, {{"batch_dims", 0}});
  ir::replace_all_uses(node.value(), builder.op(ops::Squeeze, {row, gather.axis()}));
}

/// Whether OpenVINO may take a constant of `node` for a scale or a zero point for each channel, also of
/// numbers that are not quantised. The bias of a product is neither, except of MatMulInteger, and a
/// FakeQuantize has both of its own.
bool has_constant_of_channels(const ir::Node& node) {
  const ir::Value data = variable_operand(node);
  if (node.is(ops::FakeQuantize) || !data) return false;
  if (scaled_axes(node) != std::vector<std::size_t>{1}) return false;
  const ir::Node* const reader = only_reader(node);
  const bool is_bias = kProducts.contains(data.node->op().id) && !is_integer_product(*data.node);
  return !is_bias && (reader == nullptr || !reader->is(ops::FakeQuantize));
}

/// Fault::quantized_gather_of_part: a scale or a zero point for each channel, where the other one may be a
/// scalar. OpenVINO looks for the axis of the Gather in its shape. A Gather of a FakeQuantize itself is right
/// if that stays where it is.
bool precedes_gather_of_part(const ir::Node& node) {
  if (!node.graph().may_hold({ops::Gather}) || scaled_axes(node).empty()) return false;
  const bool affects_all = has_constant_of_channels(node) || quantizes_joined_channels(node);
  if (!affects_all && integers_of(node) == nullptr) return false;
  return std::ranges::any_of(readers_past_moves(node), [&](const ir::Node* reader) {
    const auto gather = ir::match<ir::GatherView>(*reader);
    return gather && (affects_all || gather->data().node != &node);
  });
}

}  // namespace

Workaround separate_quantized_gathers() {
  return {
      .summary =
          "Keeps Gathers, reductions and pools apart from quantised numbers with scales that OpenVINO moves",
      .stages = {
          {Stage::kernels,
           {separating_row<precedes_gather_of_part>(
                Fault::quantized_gather_of_part,
                {ops::Add, ops::Divide, ops::FakeQuantize, ops::Multiply, ops::Subtract}, kIfQuantized),
            row<gathers_joined_channels, separate_from_input>(Fault::quantized_gather_of_part, {ops::Gather},
                                                              kIfQuantized),
            row<gathers_product, separate_from_input>(Fault::quantized_product_gather, {ops::Gather},
                                                      kIfQuantized),
            row<pools_product, separate_from_input>(
                Fault::quantized_product_pool, {ops::AvgPool, ops::Interpolate, ops::MaxPool}, kIfQuantized),
            separating_row<precedes_reduction>(Fault::quantized_scalar_gather, arithmetic_and_quantization(),
                                               kIfQuantized),
            row<gathers_scaled, gather_by_vector>(Fault::quantized_scalar_gather, {ops::Gather},
                                                  kIfQuantized)}}}};
}

}  // namespace onnx2ir::passes
