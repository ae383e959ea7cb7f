// Quantisation, normalisations, activations and convolutions of OpenVINO's domain.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "frontend/translators/onnx/window.hpp"
#include "frontend/translators/org_openvinotoolkit/rows.hpp"
#include "ir/views/normalization.hpp"
#include "ir/views/spatial.hpp"

namespace onnx2ir::frontend {
namespace {

/// A constant bound with leading axes of size 1: OpenVINO counts the levels of other bounds wrongly if the
/// data is dynamic.
Value raise_to_full_rank(NodeContext& node, Value bound, Value x) {
  const auto sizes = bound.shape().sizes();
  if (!sizes || sizes->empty() || !x.shape().has_rank() || sizes->size() >= x.shape().rank()) return bound;
  std::vector<std::int64_t> shape(x.shape().rank() - sizes->size(), 1);
  shape.insert(shape.end(), sizes->begin(), sizes->end());
  return reshape_constant(node, bound, shape);
}

/// FakeQuantize: data, lower and upper bound of the input, lower and upper bound of the output.
Values fake_quantize(NodeContext& node) {
  const Value x = node.input(0);
  Values inputs{x};
  for (std::size_t i = 1; i < 5; ++i)
    inputs.push_back(raise_to_full_rank(node, convert(node, node.input(i), x.type()), x));
  return {node.op(ops::FakeQuantize, inputs, {{"levels", node.integer_attribute("levels")}})};
}

/// Parameters for each channel may have further axes of size 1.
Value reshape_to_vector(NodeContext& node, Value value) {
  return value.shape().has_rank() && value.shape().rank() == 1 ? value : flatten(node, value);
}

/// GroupNorm, ExperimentalDetectronGroupNorm.
Values group_norm(NodeContext& node) {
  using Input = ir::GroupNormalizationView::Input;
  const Value x = node.input(Input::data);
  const Value scale = reshape_to_vector(node, convert(node, node.input(Input::scale), x.type()));
  const Value bias = reshape_to_vector(node, convert(node, node.input(Input::bias), x.type()));
  return {node.op(ops::GroupNormalization, {x, scale, bias},
                  {{"num_groups", node.positive_attribute("num_groups")},
                   {"epsilon", node.real_attribute("eps", 1e-6F)}})};
}

/// Normalize: divides by the length of the vector of all channels of a pixel, or of all elements of an image,
/// and multiplies by a factor, or by one for each channel.
Values normalize(NodeContext& node) {
  const Value x = node.input(0);
  const std::int64_t rank = node.rank(x);
  if (rank < 2) node.fail("the input has no channels");
  const bool is_of_image = node.flag_attribute("across_spatial");
  const Value axes = emit_axes_between(node, 1, is_of_image ? rank : 2);
  const Value normal =
      node.op(ops::NormalizeL2, {x, axes}, {{"eps", node.real_attribute("eps", 0)}, {"eps_mode", "add"}});
  const Value factors = convert(node, node.input(1), x.type());
  if (node.flag_attribute("channel_shared")) {
    return {node.op(ops::Multiply, {normal, require_scalar(node, factors, "the weight of all channels")})};
  }
  return {node.op(ops::Multiply, {normal, reshape(node, factors, shape_along(1, rank))})};
}

/// Swish: x * sigmoid(beta * x).
Values swish(NodeContext& node) {
  const Value x = node.input(0);
  if (!node.has_input(1)) return {node.op(ops::Swish, {x})};
  const Value beta = require_scalar(node, node.input(1), "the factor beta");
  return {node.op(ops::Swish, {x, convert(node, beta, x.type())})};
}

/// DeformableConv2D: data, offsets, filters, optional masks.
Values deformable_convolution(NodeContext& node) {
  Values inputs = take_inputs(node, 3);
  using Input = ir::DeformableConvolutionView::Input;
  if (node.has_input(Input::mask)) inputs.push_back(node.input(Input::mask));
  return {emit_deformable_convolution(node, inputs, {.offset_groups = "deformable_groups"})};
}

}  // namespace

std::vector<TranslatorRow> openvino_layer_translators() {
  return openvino_rows({
      {"FakeQuantize", 1, fake_quantize},
      {"GroupNorm", 1, group_norm},
      {"ExperimentalDetectronGroupNorm", 1, group_norm},
      {"Normalize", 1, normalize},
      {"Swish", 1, swish},
      {"DeformableConv2D", 1, deformable_convolution, "other than two spatial axes"},
  });
}

}  // namespace onnx2ir::frontend
