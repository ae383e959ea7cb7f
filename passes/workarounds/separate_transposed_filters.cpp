// Workaround for quantized_transposed_filters: the integer kernel of a transposed convolution ignores the
// zero point of its filters. A copy of the input keeps OpenVINO from computing with integers. Filters of u8
// have no zero point any more (make_weights_signed).
#include "ir/views/spatial.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool ignores_zero_point(ir::ConvolutionBackpropDataView convolution) {
  if (!holds_integers(convolution.data())) return false;
  const auto filters = dequantized_weights(convolution.filters());
  return filters && filters->zero_point;
}

}  // namespace

Workaround separate_transposed_filters() {
  return {.stage = Stage::operations,
          .summary = "Copies inputs of transposed convolutions whose filters have a zero point",
          .rows = {row<ignores_zero_point, separate_from_input>(Fault::quantized_transposed_filters,
                                                                {ops::ConvolutionBackpropData})}};
}

}  // namespace onnx2ir::passes
