// Workarounds for zero points that the CPU plugin ignores or merges with scales.
#include "ir/views/elementwise.hpp"
#include "ir/views/spatial.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/discontinuities.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

/// Fault::reassociated_zero_point. The CPU plugin computes (x - zero point) * scale as
/// x * scale - zero point * scale. At the zero point the result is not exactly 0, and a comparison or a
/// quotient may depend on that.
bool must_be_zero_exactly(ir::MultiplyView multiply) {
  const auto numbers = converted_integers(multiply.a());
  return numbers && numbers->zero_point && numbers->integers.node->constant() == nullptr &&
         must_have_exact_zero(multiply);
}

/// A Clamp without effect between the two operations keeps the plugin from fusing them. It also keeps it from
/// computing with integers, so it is emitted nowhere else.
ir::Value clamp_difference(ir::Builder& builder, ir::MultiplyView multiply) {
  return ir::clone_with_input(builder, multiply, ir::MultiplyView::Input::a,
                              clamp_without_effect(builder, multiply.a()));
}

/// Fault::quantized_transposed_filters. The integer kernel of a transposed convolution ignores the zero point
/// of its filters. A copy of the input keeps OpenVINO from computing with integers. Filters of u8 have no
/// zero point any more (make_weights_signed).
bool ignores_zero_point(ir::ConvolutionBackpropDataView convolution) {
  if (!holds_integers(convolution.data())) return false;
  const auto filters = dequantized_weights(convolution.filters());
  return filters && filters->zero_point;
}

}  // namespace

Workaround separate_zero_points() {
  return {
      .stage = Stage::operations,
      .summary =
          "Keeps numbers with zero points apart from scales and transposed convolutions that would compute "
          "wrongly",
      .rows = {row<ignores_zero_point, separate_from_input>(Fault::quantized_transposed_filters,
                                                            {ops::ConvolutionBackpropData}),
               row<must_be_zero_exactly, clamp_difference>(Fault::reassociated_zero_point, {ops::Multiply})}};
}

}  // namespace onnx2ir::passes
