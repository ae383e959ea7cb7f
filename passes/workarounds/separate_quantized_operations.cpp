// Workarounds for fusions of a FakeQuantize, or of quantised numbers, that are wrong: OpenVINO moves their
// scales and zero points.
#include <limits>

#include "ir/views/quantization.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

/// Fault::scaled_integer_clamp. A Clamp without effect is that of separate_zero_points.
bool clamps_scaled_integers(ir::ClampView clamp) {
  constexpr unsigned kBits = 8;
  constexpr double kNoBound = std::numeric_limits<float>::max();
  if (clamp.min() <= -kNoBound && clamp.max() >= kNoBound) return false;
  const ir::Node* const convert = find_before(*clamp.data().node, {ops::Convert}, [](const ir::Node& node) {
    const bool is_scaling = node.is_one_of(kSumsAndFactors) && constant_operand(node);
    const bool is_passed = is_scaling || moves_elements(node) || node.is(ops::ReLU);
    return is_passed ? variable_operand(node) : ir::Value{};
  });
  if (convert == nullptr) return false;
  const ir::ElementType type = ir::ConvertView(*convert).data().type();
  return ir::is_integral(type) && ir::info(type).bits == kBits;
}

/// Fault::reversed_quantized_sum: the constant is the first operand.
bool is_reversed(const ir::Node& node) {
  if (node.output(0).shape.is_static() || !ir::is_computed_from_constants(node.input(0))) return false;
  const ir::Value constant = constant_operand(node);
  if (!constant || scaled_axes(node).empty()) return false;
  return any_is_one_of(chain_after(node), {ops::FakeQuantize});
}

void swap_operands(ir::Builder& /*builder*/, ir::Node& node) {
  const ir::Value first = node.input(0);
  node.set_input(0, node.input(1));
  node.set_input(1, first);
}

/// Fault::quantized_extremum.
bool is_quantized_extremum(const ir::Node& node) {
  return any_is_one_of(chain_after(node), {ops::FakeQuantize});
}

/// Fault::quantized_transpose. OpenVINO moves the Transpose after the FakeQuantize.
bool quantizes_transpose(ir::FakeQuantizeView quantize) {
  return !scaled_axes(quantize).empty() && quantize.data().node->is(ops::Transpose) &&
         !quantize.output(0).shape.is_static();
}

}  // namespace

Workaround separate_quantized_operations() {
  return {
      .stage = Stage::kernels,
      .summary = "Keeps quantised operations apart that OpenVINO would fuse wrongly",
      .rows = {separating_row<is_quantized_extremum>(Fault::quantized_extremum,
                                                     {ops::ReduceMax, ops::ReduceMin}, kIfQuantized),
               row<quantizes_transpose, separate_from_input>(Fault::quantized_transpose, {ops::FakeQuantize}),
               row<is_reversed, swap_operands>(Fault::reversed_quantized_sum, {ops::Add, ops::Multiply}),
               row<clamps_scaled_integers, separate_from_input>(Fault::scaled_integer_clamp, {ops::Clamp},
                                                                kIfQuantized)}};
}

}  // namespace onnx2ir::passes
