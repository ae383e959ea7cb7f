// Exporters quantise the result of a product, and again its sum with the bias. The first rounding is noise,
// and is three more steps for each element after the product: 7 % of the time of a BERT on a CPU with AVX2.
// What it does besides is to clamp: quantisers remove the activation before a QuantizeLinear whose range
// has its effect. So the product is clamped only.

#include "ir/views/elementwise.hpp"
#include "ir/views/quantization.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `rounded`, a FakeQuantize, has one use: a sum with a constant that is rounded and nothing else.
bool is_rounded_again(ir::FakeQuantizeView rounded) {
  const ir::Node* const reader = only_reader(rounded);
  const auto sum = reader != nullptr ? ir::match<ir::AddView>(*reader) : std::nullopt;
  if (!sum || !is_used_once(*reader)) return false;
  const ir::Value other = sum->a().node == &rounded.node() ? sum->b() : sum->a();
  if (!ir::is_computed_from_constants(other)) return false;
  const ir::Use& use = reader->output(0).uses.front();
  // A conversion to integers may give a result of the model, which has to equal the integers of onnxruntime.
  return use.node->is(ops::FakeQuantize) && use.index == ir::FakeQuantizeView::Input::data &&
         !is_read_by(*use.node, {ops::Convert});
}

ir::Value clamp(ir::Builder& builder, ir::FakeQuantizeView rounded) {
  const ir::Value product = rounded.data();
  if (!product.node->is_one_of(kIntegerProducts) || !ir::is_computed_from_constants(product.node->input(1)))
    return {};
  if (!is_quantized(product.node->input(0)) || !is_rounded_again(rounded)) return {};
  const auto low = source_number(rounded.output_low());
  const auto high = source_number(rounded.output_high());
  if (!low || !high || *low >= *high) return {};
  return builder.op(ops::Clamp, {product}, {{"min", *low}, {"max", *high}});
}

}  // namespace

bool round_sums_once(ir::Model& model, PassContext& context) {
  if (context.options->quantization == Quantization::exact) return false;
  return rewrite_values(model, {ops::FakeQuantize}, clamp);
}

}  // namespace onnx2ir::passes
