// Workarounds for operations on constants that OpenVINO neither folds nor computes correctly: products and
// convolutions of constant data, and strings that are packed from constants. Here input 0 is copied in each
// inference, so that OpenVINO cannot know that it is a constant.
#include <optional>

#include "ir/views/linear_algebra.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/foldable.hpp"
#include "passes/analysis/operation_groups.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// Input 0, which most operations read their data from; null without inputs.
ir::Value data_of(const ir::Node& node) {
  return node.inputs().empty() ? ir::Value{} : node.input(0);
}

/// Fault::constant_times_weights.
bool multiplies_constant(ir::MatMulView product) {
  if (!ir::is_computed_from_constants(product.a())) return false;
  const auto weights = weights_of(product);
  return weights && weights->is_transposed;
}

bool is_left_for_run_time(ir::Value value) {
  return may_stay_unfolded(value) || computes_weights(*value.node);
}

/// Fault::transposed_constant_data.
bool transposes_constant(ir::MatMulView product) {
  return product.node().is_computed_from_constants() &&
         (product.transpose_a() || find_before(*product.a().node, {ops::Transpose}, data_of) != nullptr) &&
         (is_left_for_run_time(product.a()) || is_left_for_run_time(product.b()));
}

/// Whether `node` subtracts a zero point from bytes.
bool subtracts_from_bytes(const ir::Node& node) {
  const auto numbers = converted_integers(node);
  return numbers && numbers->zero_point && numbers->integers.type() == ir::ElementType::u8;
}

/// Fault::quantized_constant_data.
bool convolves_constant(const ir::Node& convolution) {
  const ir::Value data = convolution.input(0);
  const ir::Value filters = convolution.input(1);
  return ir::is_computed_from_constants(data) &&
         (holds_integers(filters) || holds_integers(before_conversions(filters))) &&
         find_before(*data.node, subtracts_from_bytes, data_of) != nullptr;
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
          .summary = "Hides constants that OpenVINO neither folds nor computes correctly",
          .rows = {
              row<packs_constants, hide_data>(Fault::constant_string_pack, {ops::StringTensorPack}),
              row<multiplies_constant, hide_data>(Fault::constant_times_weights, {ops::MatMul}),
              row<convolves_constant, hide_data>(Fault::quantized_constant_data, kConvolutions, kIfQuantized),
              row<transposes_constant, hide_data>(Fault::transposed_constant_data, {ops::MatMul})}};
}

}  // namespace onnx2ir::passes
