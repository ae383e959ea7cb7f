// Workarounds for fusions of a FakeQuantize, or of quantised numbers, that are wrong: OpenVINO moves their
// scales and zero points.
#include <limits>

#include "ir/graph.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/analysis/operation_groups.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr int kMostMoves = 8;

/// Fault::scaled_integer_clamp. A Clamp without effect is that of separate_zero_points.
bool clamps_scaled_integers(ir::ClampView clamp) {
  constexpr unsigned kBits = 8;
  constexpr double kNoBound = std::numeric_limits<float>::max();
  if (clamp.min() <= -kNoBound && clamp.max() >= kNoBound) return false;
  const ir::Node* source = clamp.data().node;
  for (int step = 0; step < kMostMoves; ++step) {
    if (const auto convert = ir::match<ir::ConvertView>(*source)) {
      const ir::ElementType type = convert->data().type();
      return ir::is_integral(type) && ir::info(type).bits == kBits;
    }
    const bool is_scaling = source->is_one_of(kSumsAndFactors) && constant_operand(*source) != nullptr;
    if (!is_scaling && !moves_elements(*source) && !source->is(ops::ReLU)) return false;
    const ir::Value* const data = variable_operand(*source);
    if (data == nullptr) return false;
    source = data->node;
  }
  return false;
}

/// Fault::reversed_quantized_sum: the constant is the first operand.
bool is_reversed(const ir::Node& node) {
  if (node.output(0).shape.is_static() || !ir::is_computed_from_constants(node.input(0))) return false;
  const ir::Value* const constant = constant_operand(node);
  if (constant == nullptr || scaled_axes(node).empty()) return false;
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
bool quantizes_transpose(const ir::Node& node) {
  return !scaled_axes(node).empty() && node.input(0).node->is(ops::Transpose) &&
         !node.output(0).shape.is_static();
}

}  // namespace

Workaround separate_quantized_operations() {
  return {
      .name = "separate_quantized_operations",
      .stage = Stage::kernels,
      .summary = "Keeps quantised operations apart that OpenVINO would fuse wrongly",
      .rows = {row(Fault::quantized_extremum, {ops::ReduceMax, ops::ReduceMin},
                   must_be_separated<is_quantized_extremum>, separate_from_uses, kIfQuantized),
               row(Fault::quantized_transpose, {ops::FakeQuantize}, quantizes_transpose, separate_from_input),
               row(Fault::reversed_quantized_sum, {ops::Add, ops::Multiply}, is_reversed, swap_operands),
               row(Fault::scaled_integer_clamp, {ops::Clamp}, affects<clamps_scaled_integers>,
                   separate_from_input, kIfQuantized)}};
}

}  // namespace onnx2ir::passes
