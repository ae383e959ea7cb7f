// Quantisers round the result of a product, and again its sum with the bias, or its activation. The first
// rounding is noise, and takes three more steps for each element of the product: 7 % of the time of a BERT on
// a CPU with AVX2. It also clamps: quantisers remove an activation before a QuantizeLinear whose range has
// its effect. So the product is clamped instead. Numbers of 16 bits, for which there are no integer kernels,
// are always clamped: the rounding is noise, and a FakeQuantize of 65536 levels is not clamped by OpenVINO
// (stripped_quantization).

#include "ir/views/quantization.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/discontinuities.hpp"
#include "passes/analysis/fake_quantize.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kActivations = {ops::Gelu,    ops::HardSigmoid, ops::HSwish, ops::Mish,
                                           ops::Sigmoid, ops::Swish,       ops::Tanh};

/// Whether `rounded`, a FakeQuantize, has one use: a sum or an activation that is rounded and nothing else.
bool is_rounded_again(ir::FakeQuantizeView rounded) {
  const ir::Node* const reader = only_reader(rounded);
  if (reader == nullptr || !is_used_once(*reader)) return false;
  const bool is_sum = reader->is(ops::Add) && constant_step(*reader).operand;
  return (is_sum || reader->is_one_of(kActivations)) && is_rounding(reader->output(0).uses.front());
}

/// Whether `value` is a product of quantised numbers and weights, also with a bias.
bool is_quantized_product(ir::Value value) {
  if (value.node->is(ops::Add) && constant_step(*value.node).operand)
    value = constant_step(*value.node).operand;
  return value.node->is_one_of(kIntegerProducts) && ir::is_computed_from_constants(value.node->input(1)) &&
         is_quantized(value.node->input(0));
}

bool needs_no_rounding(ir::FakeQuantizeView rounded, const Grid& grid) {
  if (grid.has_16_bits()) return keeps_bounds(rounded) && !must_have_exact_zero(rounded);
  return grid.has_8_bits() && is_quantized_product(rounded.data()) && is_rounded_again(rounded);
}

ir::Value clamp(ir::Builder& builder, ir::FakeQuantizeView rounded) {
  const auto grid = grid_of(rounded);
  if (!grid || !needs_no_rounding(rounded, *grid)) return {};
  const ir::Value clamped =
      builder.op(ops::Clamp, {rounded.data()}, {{"min", grid->low}, {"max", grid->high}});
  if (grid->has_16_bits()) clamped.node->set_attribute({"dequantizes", true});
  return clamped;
}

}  // namespace

bool round_results_once(ir::Model& model, PassContext& context) {
  if (context.options->quantization == Quantization::exact) return false;
  return rewrite_values(model, {ops::FakeQuantize}, clamp);
}

}  // namespace onnx2ir::passes
