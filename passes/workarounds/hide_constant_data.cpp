// Workarounds for operations on constants that OpenVINO neither folds nor computes rightly: quantised weights
// with constant data, and strings that are put together from constants. It cannot know that input 0 is a
// constant.
#include "ir/views/linear_algebra.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/operation_groups.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// Fault::constant_times_weights.
bool multiplies_constant(ir::MatMulView product) {
  if (!ir::is_computed_from_constants(product.a())) return false;
  const auto weights = weights_of(product);
  return weights && weights->is_transposed;
}

/// Fault::quantized_constant_data.
bool convolves_constant(const ir::Node& convolution) {
  const auto data = dequantized_weights(convolution.input(0));
  return data && data->zero_point && data->data.type() == ir::ElementType::u8 &&
         holds_integers(convolution.input(1));
}

/// Fault::constant_string_pack.
bool packs_constants(const ir::Node& pack) {
  return pack.is_computed_from_constants();
}

void hide_data(ir::Builder& builder, ir::Node& node) {
  node.set_input(0, hide_value(builder, emit_run_time_truth(builder), node.input(0)));
}

}  // namespace

Workaround hide_constant_data() {
  return {.stage = Stage::operations,
          .summary = "Hides constants that OpenVINO neither folds nor computes rightly",
          .rows = {row<packs_constants, hide_data>(Fault::constant_string_pack, {ops::StringTensorPack}),
                   row<multiplies_constant, hide_data>(Fault::constant_times_weights, {ops::MatMul}),
                   row<convolves_constant, hide_data>(Fault::quantized_constant_data, kConvolutions,
                                                      kIfQuantized)}};
}

}  // namespace onnx2ir::passes
