// By default, the CPU plugin rounds the input that is multiplied with quantised weights to 8 bits if the CPU
// has VNNI: docs/quantised-models.md. If a model has products whose inputs must not be rounded, the model
// gets a runtime option that turns the rounding off. A program that sets the property when it compiles the
// model overrides it.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "ir/views/elementwise.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/unary.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::int64_t kSmallestBlock = 16;

/// Whether `node` is the Multiply of an ONNX DequantizeLinear.
bool dequantizes(const ir::Node& node) {
  const auto multiply = ir::match<ir::MultiplyView>(node);
  return multiply && multiply->dequantizes().value_or(false);
}

/// Whether `value` is numbers of 16 bits, also after operations that move them: remove_repeated_roundings has
/// removed the DequantizeLinear after these.
bool has_16_bits(ir::Value value) {
  const auto source = [](const ir::Node& node) {
    const bool is_moved = node.op().traits.rearranges || node.op().traits.reshapes || node.is(ops::Convert);
    return is_moved ? node.input(0) : ir::Value{};
  };
  const ir::Node* const clamp = find_before(*value.node, {ops::Clamp}, source);
  return clamp != nullptr && ir::ClampView(*clamp).dequantizes().value_or(false);
}

bool is_dequantized(ir::Value value) {
  if (has_16_bits(value)) return true;
  while (value.node->is(ops::Convert) || value.node->is(ops::Reshape)) value = value.node->input(0);
  return dequantizes(*value.node);
}

/// Whether weights in blocks have blocks of inputs that are as large as the smallest group.
bool has_large_blocks(const WeightsOfProduct& found) {
  const auto data = found.weights.data.shape().sizes();
  if (found.reshape == nullptr) return true;
  return data && data->size() == 3 && (*data)[axis_of_inputs(found)] >= kSmallestBlock;
}

/// Whether weights [inputs, outputs] have one scale, one per output, or one per output and block of inputs.
bool has_scales_of_outputs(const WeightsOfProduct& found) {
  const auto data = found.weights.data.shape().sizes();
  if (!data || found.is_transposed) return false;
  if (found.reshape != nullptr)
    return has_large_blocks(found) && std::has_single_bit(static_cast<std::uint64_t>((*data)[1]));
  const ir::PartialShape& scales = found.weights.scale.shape();
  return data->size() == 2 && (scales.rank() < 2 || scales[0] == ir::Dimension(1));
}

/// Whether the left input may be rounded: onnxruntime rounds it, too, or the weights have so few bits that
/// their error is much larger.
bool may_round_input(ir::MatMulView mat_mul, const WeightsOfProduct& found, const PassContext& context) {
  if (mat_mul.may_round_input().value_or(false)) return true;
  const ir::Value weights = mat_mul.b();
  if (context.options->quantization == Quantization::fast && ir::info(found.weights.data.type()).bits < 8 &&
      has_large_blocks(found) && !is_dequantized(mat_mul.a()))
    return true;
  return dequantizes(*found.weights.product) && !is_dequantized(mat_mul.a()) && is_used_once(weights) &&
         has_scales_of_outputs(found);
}

/// Whether the inputs do not fill the last group, and the weights have less than 8 bits.
bool has_partial_group(const WeightsOfProduct& found) {
  const auto data = found.weights.data.shape().sizes();
  if (!data || data->size() < 2 || ir::info(found.weights.data.type()).bits >= 8) return false;
  const std::size_t last = axis_of_inputs(found);
  // The axis before that of a block counts the blocks.
  const std::int64_t blocks = found.reshape != nullptr && last > 0 ? (*data)[last - 1] : 1;
  return blocks * (*data)[last] % kDefaultRoundingGroup != 0;
}

bool must_be_exact(ir::MatMulView mat_mul, const WeightsOfProduct& found, const PassContext& context) {
  if (context.has(Fault::partial_rounding_groups) && has_partial_group(found)) return true;
  if (!context.has(Fault::dynamic_quantization)) return false;
  const DynamicQuantization rounding = context.options->dynamic_quantization;
  return rounding == DynamicQuantization::never ||
         (rounding == DynamicQuantization::automatic && !may_round_input(mat_mul, found, context));
}

}  // namespace

bool disable_dynamic_quantization(ir::Model& model, PassContext& context) {
  if (sets_rounding_groups(model)) return false;
  const bool is_exact = std::ranges::any_of(nodes_of(model, {ops::MatMul}), [&](const ir::Node* node) {
    const auto found = weights_of(*node);
    return found && must_be_exact(*node, *found, context);
  });
  if (is_exact) set_rounding_groups(model, 0);
  return false;
}

}  // namespace onnx2ir::passes
