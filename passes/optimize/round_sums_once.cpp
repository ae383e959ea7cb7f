// Exporters quantise the result of a product, and again its sum with the bias. The first rounding is noise,
// and is three more steps for each element behind the product: 7 % of the time of a BERT on a CPU with AVX2.
// What it does besides is to clamp: quantisers remove the activation in front of a QuantizeLinear whose range
// has its effect. So the product is clamped only.
#include <optional>

#include "ir/known_values.hpp"
#include "ir/views/quantization.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kProducts = {ops::MatMul, ops::Convolution, ops::GroupConvolution};

std::optional<double> single_number(ir::Value value) {
  ir::Node* const node = source_constant(value);
  if (node == nullptr) return std::nullopt;
  const auto numbers = ir::exact_numbers(node->value());
  return numbers && numbers->size() == 1 ? std::optional((*numbers)[0]) : std::nullopt;
}

/// Whether all results of a FakeQuantize go to operations on numbers, not to a conversion to integers: those
/// may be results of the model, and have to equal the integers of onnxruntime.
bool is_dequantized(const ir::Node& fake_quantize) {
  for (const ir::Use& use : fake_quantize.output(0).uses) {
    if (use.node->is(ops::Convert)) return false;
  }
  return true;
}

/// Whether `rounded`, a FakeQuantize, has one use: a sum with a constant that is rounded and nothing else.
bool is_rounded_again(ir::FakeQuantizeView rounded) {
  const auto& uses = rounded.output(0).uses;
  if (uses.size() != 1 || !uses.begin()->node->is(ops::Add)) return false;
  const ir::Node& sum = *uses.begin()->node;
  const ir::Value other = sum.input(sum.input(0).node == &rounded.node() ? 1 : 0);
  if (!ir::is_computed_from_constants(other) || !is_used_once(sum)) return false;
  const ir::Use& use = *sum.output(0).uses.begin();
  return use.node->is(ops::FakeQuantize) && use.index == ir::FakeQuantizeView::Input::data &&
         is_dequantized(*use.node);
}

ir::Value clamp(ir::Builder& builder, ir::FakeQuantizeView rounded) {
  const ir::Value product = rounded.data();
  if (!product.node->is_one_of(kProducts) || !ir::is_computed_from_constants(product.node->input(1)))
    return {};
  if (!is_quantized(product.node->input(0)) || !is_rounded_again(rounded)) return {};
  const auto low = single_number(rounded.output_low());
  const auto high = single_number(rounded.output_high());
  if (!low || !high || *low >= *high) return {};
  return builder.op(ops::Clamp, {product}, {{"min", *low}, {"max", *high}});
}

}  // namespace

bool round_sums_once(ir::Model& model, PassContext& context) {
  if (context.quantization == Quantization::exact) return false;
  return rewrite_values(model, {ops::FakeQuantize}, clamp);
}

}  // namespace onnx2ir::passes
