// Activation functions. Version 1 has an attribute consumed_inputs that does not affect the result. Later
// versions differ in element types only, except where noted.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

Values leaky_relu_1(NodeContext& node) {
  const Value x = node.input(0);
  const double alpha = node.real_attribute("alpha", 0.01F);
  // Releases before 2026 do not compile a vector as the slope of a scalar.
  if (x.shape().is_scalar()) return {node.op(ops::PReLU, {x, node.number_like(alpha, x)})};
  return {node.op(ops::PReLU, {x, node.numbers({&alpha, 1}, x.type())})};
}

/// Whether `slope` broadcasts to `x` along dimension 1 alone, as the slope of PReLU does.
bool is_for_channels(Value x, Value slope) {
  const PartialShape& shape = slope.shape();
  if (!shape.is_static() || shape.rank() == 0 || shape.rank() > x.shape().rank()) return false;
  const std::size_t offset = x.shape().rank() - shape.rank();
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (offset + i != 1 && shape[i] != ir::Dimension(1)) return false;
  }
  return true;
}

Value emit_prelu(NodeContext& node, Value x, Value slope) {
  const Value is_negative = node.op(ops::Less, {x, node.number_like(0, x)});
  return node.op(ops::Select, {is_negative, node.op(ops::Multiply, {x, slope}), x});
}

/// PRelu 7, 9, 16: the slope is broadcast to the data as in numpy; from 9 on also integers.
Values prelu_7(NodeContext& node) {
  const Value x = node.input(0);
  const Value slope = node.input(1);
  node.rank(x);
  const bool is_native = ir::is_floating(x.type()) && x.shape().rank() > 1 && is_for_channels(x, slope);
  if (!is_native) return {emit_prelu(node, x, slope)};
  const Value vector = slope.shape().rank() == 1 ? slope : flatten(node, slope);
  return {node.op(ops::PReLU, {x, vector})};
}

/// PRelu 1, 6: one slope, or one for each channel.
Values prelu_1(NodeContext& node) {
  const Value x = node.input(0);
  const Value slope = node.input(1);
  const std::int64_t rank = node.rank(x);
  if (node.rank(slope) != 1 || rank < 2) return {emit_prelu(node, x, slope)};
  return {node.op(ops::PReLU, {x, slope})};
}

/// Elu 1, 6, 22.
Values elu_1(NodeContext& node) {
  return {node.op(ops::Elu, {node.input(0)}, {{"alpha", node.real_attribute("alpha", 1)}})};
}

/// Selu 1 (coarser defaults), 6, 22.
Values selu_1(NodeContext& node) {
  const Value x = node.input(0);
  const bool is_coarse = node.opset() < 6;
  const double alpha = node.real_attribute("alpha", is_coarse ? 1.6732 : 1.67326319217681884765625);
  const double gamma = node.real_attribute("gamma", is_coarse ? 1.0507 : 1.05070102214813232421875);
  return {node.op(ops::Selu, {x, node.number_like(alpha, x), node.number_like(gamma, x)})};
}

/// Celu 12: max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
Values celu_12(NodeContext& node) {
  const Value x = node.input(0);
  const double alpha = node.real_attribute("alpha", 1);
  if (alpha == 1) return {node.op(ops::Elu, {x}, {{"alpha", 1.0}})};
  const Value factor = node.number_like(alpha, x);
  return {node.op(ops::Multiply, {node.op(ops::Elu, {divide(node, x, factor)}, {{"alpha", 1.0}}), factor})};
}

Values thresholded_relu_1(NodeContext& node) {
  const Value x = node.input(0);
  const Value is_above = node.op(ops::Greater, {x, node.number_like(node.real_attribute("alpha", 1), x)});
  return {node.op(ops::Select, {is_above, x, node.number_like(0, x)})};
}

Values hard_sigmoid_1(NodeContext& node) {
  const Value x = node.input(0);
  return {node.op(ops::HardSigmoid, {x, node.number_like(node.real_attribute("alpha", 0.2F), x),
                                     node.number_like(node.real_attribute("beta", 0.5F), x)})};
}

Values gelu_20(NodeContext& node) {
  const std::string approximate = node.text_attribute("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    node.fail("attribute 'approximate' must be none or tanh, it is " + approximate);
  }
  return {node.op(ops::Gelu, {node.input(0)},
                  {{"approximation_mode", std::string(approximate == "tanh" ? "TANH" : "ERF")}})};
}

/// Swish 24: x * sigmoid(alpha * x).
Values swish_24(NodeContext& node) {
  const Value x = node.input(0);
  const double alpha = node.real_attribute("alpha", 1);
  if (alpha == 1) return {node.op(ops::Swish, {x})};
  return {node.op(ops::Swish, {x, node.number_like(alpha, x)})};
}

/// Shrink 9: x + bias below -lambd, x - bias above lambd, 0 between.
Values shrink_9(NodeContext& node) {
  const Value input = node.input(0);
  const ElementType computed = ir::is_floating(input.type()) ? input.type() : ElementType::f32;
  const Value x = convert(node, input, computed);
  const double lambda = node.real_attribute("lambd", 0.5);
  const Value bias = node.number_like(node.real_attribute("bias", 0), x);
  const Value is_above = node.op(ops::Greater, {x, node.number_like(lambda, x)});
  const Value is_below = node.op(ops::Less, {x, node.number_like(-lambda, x)});
  const Value high =
      node.op(ops::Select, {is_above, node.op(ops::Subtract, {x, bias}), node.number_like(0, x)});
  return {convert(node, node.op(ops::Select, {is_below, node.op(ops::Add, {x, bias}), high}), input.type())};
}

}  // namespace

std::vector<TranslatorRow> activation_translators() {
  return with_ranks(RankRule::map,
                    {
                        {"Relu", 1, same_unary<ops::ReLU>},
                        {"Sigmoid", 1, same_unary<ops::Sigmoid>},
                        {"Softplus", 1, same_unary<ops::SoftPlus>},
                        {"Softsign", 1, same_unary<ops::SoftSign>},
                        {"Mish", 18, same_unary<ops::Mish>},
                        {"HardSwish", 14, same_unary<ops::HSwish>},
                        {"LeakyRelu", 1, leaky_relu_1},
                        {.name = "PRelu", .since = 1, .translate = prelu_1, .ranks = RankRule::keep},
                        {.name = "PRelu", .since = 7, .translate = prelu_7, .ranks = RankRule::keep},
                        {"Elu", 1, elu_1},
                        {"Selu", 1, selu_1},
                        {"Celu", 12, celu_12},
                        {"ThresholdedRelu", 1, thresholded_relu_1},
                        {"HardSigmoid", 1, hard_sigmoid_1},
                        {"Gelu", 20, gelu_20},
                        {"Swish", 24, swish_24},
                        {"Shrink", 9, shrink_9},
                    });
}

}  // namespace onnx2ir::frontend
