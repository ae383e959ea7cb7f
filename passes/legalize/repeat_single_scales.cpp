// If the CPU plugin rounds the inputs of a product to 8 bits, 2024.6 reads a single scale for all weights as
// if there were one per output. This pass stores one per output.
#include "onnx2ir/options.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The shape of scales with one element per output; no value if the weights are not a matrix.
std::optional<std::vector<std::int64_t>> scales_of_outputs(const WeightsOfProduct& found) {
  const auto sizes = found.weights.data.shape().sizes();
  if (!sizes || sizes->size() != 2 || found.reshape != nullptr) return std::nullopt;
  return found.is_transposed ? std::vector<std::int64_t>{sizes->front(), 1}
                             : std::vector<std::int64_t>{1, sizes->back()};
}

bool repeat_scale(ir::Builder& builder, const ir::Node& mat_mul) {
  const auto found = weights_of(mat_mul);
  const ir::Value scale = found ? found->weights.scale : ir::Value{};
  if (!scale || scale.shape().element_count() != 1) return false;
  ir::Node& product = *found->weights.product;
  const auto sizes = scales_of_outputs(*found);
  const auto number = ir::exact_numbers(scale);
  if (!sizes || !number || !is_used_once(product)) return false;
  const std::vector<double> scales(static_cast<std::size_t>(sizes->front() * sizes->back()), number->front());
  builder.set_name(product.name);
  product.set_input(product.input(0) == scale ? 0 : 1, builder.numbers(scales, *sizes, scale.type()));
  return true;
}

}  // namespace

bool repeat_single_scales(ir::Model& model, PassContext& context) {
  if (context.options->dynamic_quantization == DynamicQuantization::never) return false;
  return edit_nodes(model, {ops::MatMul}, repeat_scale);
}

}  // namespace onnx2ir::passes
