// onnxruntime's matrix products and convolutions with factors and activations.
#include <algorithm>

#include "base/ascii_case.hpp"
#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/recurrent.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Moves the first axis after the other axes of the batch: [M, B..., K] to [B..., M, K].
Value move_batch_first(NodeContext& node, Value value) {
  const std::int64_t rank = node.rank(value);
  std::vector<std::int64_t> order = numbers_between(1, rank - 1);
  order.push_back(0);
  order.push_back(rank - 1);
  return rank < 3 ? value : transpose(node, value, order);
}

/// FusedMatMul, TransposeMatMul, SparseToDenseMatMul: alpha * A' * B'.
Values fused_mat_mul(NodeContext& node) {
  const auto factor = [&](std::size_t index, std::string_view batch) {
    const Value value = node.input(index);
    return node.flag_attribute(batch) ? move_batch_first(node, value) : value;
  };
  const auto is_transposed = [&](std::string_view name, std::size_t input) {
    return node.flag_attribute(name) && node.rank(node.input(input)) > 1;
  };
  const Transposed transposed{.a = is_transposed("transA", 0), .b = is_transposed("transB", 1)};
  const Value a = factor(0, "transBatchA");
  const Value product = mat_mul(node, a, factor(1, "transBatchB"), transposed);
  return {multiply_by(node, product, node.real_attribute("alpha", 1))};
}

/// Applies the activation `name` with its parameters; missing parameters have defaults.
Value activate(NodeContext& node, Value x, const std::string& name, const std::vector<double>& parameters) {
  const auto parameter = [&](std::size_t index) {
    return index < parameters.size() ? std::optional(parameters[index]) : std::nullopt;
  };
  const auto number = [&](std::size_t index, double absent) {
    return node.number_like(parameter(index).value_or(absent), x);
  };
  constexpr std::string_view kOfRecurrentOperators[] = {
      "Affine",  "Elu",      "HardSigmoid", "LeakyRelu", "Relu",           "ScaledTanh",
      "Sigmoid", "Softplus", "Softsign",    "Tanh",      "ThresholdedRelu"};
  if (std::ranges::find(kOfRecurrentOperators, name) != std::end(kOfRecurrentOperators))
    return activate(node, node, {base::lower_case(name), parameter(0), parameter(1)}, x);
  if (name.empty() || name == "Identity") return x;
  if (name == "HardSwish") return node.op(ops::HSwish, {x});
  if (name == "ParametricSoftplus")
    return node.op(ops::Multiply,
                   {node.op(ops::SoftPlus, {node.op(ops::Multiply, {x, number(1, 1)})}), number(0, 1)});
  if (name == "Selu" && parameters.size() == 2) return node.op(ops::Selu, {x, number(0, 0), number(1, 0)});
  if (name == "Clip" && parameters.size() == 2)
    return node.op(ops::Clamp, {x}, {{"min", parameters[0]}, {"max", parameters[1]}});
  node.fail("activation '" + name + "' is not converted");
}

/// FusedGemm: a Gemm with an activation.
Values fused_gemm(NodeContext& node) {
  const Value sums = translate_as(node, "Gemm", 11, node.operands()).front();
  const std::string activation = node.text_attribute("activation", "");
  const bool is_selu = activation == "Selu";
  std::vector<double> parameters;
  for (const std::string_view name : {"activation_alpha", is_selu ? "activation_gamma" : "activation_beta"}) {
    if (!node.has_attribute(name)) break;
    parameters.push_back(node.real_attribute(name));
  }
  return {activate(node, sums, activation, parameters)};
}

/// GemmFastGelu: a product, a bias, the fast Gelu.
Values gemm_fast_gelu(NodeContext& node) {
  using Input = inputs::microsoft::GemmFastGelu;
  const Value product = mat_mul(node, node.input(Input::X), node.input(Input::W));
  const Value sums = add_if_present(node, product, node.optional_input(Input::bias));
  return {node.op(ops::Gelu, {sums}, {{"approximation_mode", "TANH"}})};
}

/// FusedConv: a convolution, an optional sum, an activation.
Values fused_conv(NodeContext& node) {
  const Value conv = translate_as(node, "Conv", 11, node.operands()).front();
  const Value result = add_if_present(node, conv, node.optional_input(inputs::microsoft::FusedConv::Z));
  return {activate(node, result, node.text_attribute("activation", ""),
                   node.real_list("activation_params").unchecked())};
}

/// ConvTransposeWithDynamicPads: the pads are an input, and are removed from the full result. With auto_pad
/// SAME_UPPER or SAME_LOWER, they have no effect.
Values conv_transpose_with_dynamic_pads(NodeContext& node) {
  using Input = inputs::microsoft::ConvTransposeWithDynamicPads;
  Value result = translate_as(node, "ConvTranspose", 11,
                              {node.operand(Input::X), node.operand(Input::W), node.operand(Input::B)})
                     .front();
  const Value pads = node.optional_input(Input::Pads);
  if (!pads || node.text_attribute("auto_pad", "NOTSET").starts_with("SAME")) return {result};
  const std::int64_t spatial = node.rank(result) - 2;
  for (std::int64_t i = 0; i < spatial; ++i) {
    const auto pad = [&](std::int64_t place) { return gather(node, pads, node.integers({place})); };
    const Value stop = node.op(ops::Subtract, {dimension_of(node, result, i + 2), pad(spatial + i)});
    result = slice(node, result, pad(i), stop, i + 2);
  }
  return {result};
}

}  // namespace

std::vector<TranslatorRow> microsoft_product_translators() {
  return {
      {"FusedMatMul", 1, fused_mat_mul},
      {"TransposeMatMul", 1, fused_mat_mul},
      {"SparseToDenseMatMul", 1, fused_mat_mul, "sparse matrices that are not initializers"},
      {"FusedGemm", 1, fused_gemm},
      {"GemmFastGelu", 1, gemm_fast_gelu},
      {"FusedConv", 1, fused_conv},
      {"ConvTransposeWithDynamicPads", 1, conv_transpose_with_dynamic_pads},
  };
}

}  // namespace onnx2ir::frontend
