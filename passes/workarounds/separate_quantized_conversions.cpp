// Workarounds for conversions to integers beside a FakeQuantize: OpenVINO takes each of them for a part of a
// quantisation, which has no fractions to cut off.
#include <cmath>

#include "ir/views/quantization.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether all numbers that the FakeQuantize gives are integers.
bool gives_integers(ir::FakeQuantizeView quantization) {
  const auto lows = ir::exact_numbers(quantization.output_low());
  const auto highs = lows ? ir::exact_numbers(quantization.output_high()) : std::nullopt;
  if (!highs || lows->size() != highs->size()) return false;
  const auto steps = static_cast<double>(quantization.levels() - 1);
  for (std::size_t i = 0; i < lows->size(); ++i) {
    const double step = ((*highs)[i] - (*lows)[i]) / steps;
    if (std::floor((*lows)[i]) != (*lows)[i] || std::floor(step) != step) return false;
  }
  return true;
}

bool cuts_fractions(ir::ConvertView convert) {
  return ir::is_floating(convert.data().type()) && ir::is_integral(convert.output(0).type);
}

/// Fault::quantized_truncation.
bool cuts_quantized_fractions(ir::ConvertView convert) {
  if (!cuts_fractions(convert)) return false;
  const ir::Node& data = *convert.data().node;
  const auto is_rounded = [](const ir::Node& node) { return quantization_of(node) != nullptr; };
  const ir::Node* const found = find_before(data, is_rounded, [](const ir::Node& node) {
    return is_elementwise(node) && !is_opaque_copy(node) ? variable_operand(node) : ir::Value{};
  });
  return found != nullptr && (found != &data || !gives_integers(*quantization_of(data)));
}

/// Fault::truncation_before_quantization.
bool cuts_fractions_before_quantization(ir::ConvertView convert) {
  constexpr int kBits = 8;
  if (!cuts_fractions(convert) || ir::info(convert.output(0).type).bits != kBits) return false;
  const ir::Node* const found = quantization_of(convert.data());
  if (found != nullptr && gives_integers(ir::FakeQuantizeView(*found))) return false;
  return any_is_one_of(readers_past_moves(convert), {ops::FakeQuantize});
}

}  // namespace

Workaround separate_quantized_conversions() {
  return {.stage = Stage::kernels,
          .summary = "Keeps conversions to integers apart from quantised numbers with fractions",
          .rows = {row<must_be_separated<cuts_quantized_fractions>, separate_from_input>(
                       Fault::quantized_truncation, {ops::Convert}, kIfQuantized),
                   separating_row<cuts_fractions_before_quantization>(Fault::truncation_before_quantization,
                                                                      {ops::Convert}, kIfQuantized)}};
}

}  // namespace onnx2ir::passes
