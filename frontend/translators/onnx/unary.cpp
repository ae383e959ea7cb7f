// Elementwise mathematics on one tensor, activation functions, and Clip. Version 1 has an attribute
// consumed_inputs that does not affect the result; later versions differ in element types only, except where
// noted.
#include <cmath>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/small_floats.hpp"

namespace onnx2ir::frontend {
namespace {

/// The translator of an operator with the result `kEmit` of its first input.
template <auto kEmit>
Values unary(NodeContext& node) {
  return {kEmit(node, node.input(0))};
}

Value leaky_relu_1(NodeContext& node, Value x) {
  const double alpha = node.real_attribute("alpha", 0.01F);
  // Releases before 2026 do not compile a vector as the slope of a scalar.
  const Value slope =
      x.shape().is_scalar() ? node.number_like(alpha, x) : node.numbers({&alpha, 1}, x.type());
  return node.op(ops::PReLU, {x, slope});
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
Value prelu_7(NodeContext& node, Value x) {
  const Value slope = node.input(1);
  const bool is_native = node.rank(x) > 1 && ir::is_floating(x.type()) && is_for_channels(x, slope);
  if (!is_native) return emit_prelu(node, x, slope);
  return node.op(ops::PReLU, {x, slope.shape().rank() == 1 ? slope : flatten(node, slope)});
}

/// PRelu 1, 6: one slope, or one for each channel.
Value prelu_1(NodeContext& node, Value x) {
  const Value slope = node.input(1);
  const std::int64_t rank = node.rank(x);
  if (node.rank(slope) != 1 || rank < 2) return emit_prelu(node, x, slope);
  return node.op(ops::PReLU, {x, slope});
}

/// Elu 1, 6, 22.
Value elu_1(NodeContext& node, Value x) {
  return node.op(ops::Elu, {x}, {{"alpha", node.real_attribute("alpha", 1)}});
}

/// Selu 1 (coarser defaults), 6, 22.
Value selu_1(NodeContext& node, Value x) {
  const bool is_coarse = node.opset() < 6;
  const double alpha = node.real_attribute("alpha", is_coarse ? 1.6732 : 1.67326319217681884765625);
  const double gamma = node.real_attribute("gamma", is_coarse ? 1.0507 : 1.05070102214813232421875);
  return node.op(ops::Selu, {x, node.number_like(alpha, x), node.number_like(gamma, x)});
}

/// Celu 12: max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
Value celu_12(NodeContext& node, Value x) {
  const double alpha = node.real_attribute("alpha", 1);
  if (alpha == 1) return node.op(ops::Elu, {x}, {{"alpha", 1.0}});
  const Value factor = node.number_like(alpha, x);
  if (alpha < 0) {
    const Value one = node.number_like(1, x);
    const Value power = node.op(ops::Subtract, {node.op(ops::Exp, {divide(node, x, factor)}), one});
    const Value low =
        node.op(ops::Minimum, {node.op(ops::Multiply, {power, factor}), node.number_like(0, x)});
    return node.op(ops::Add, {node.op(ops::ReLU, {x}), low});
  }
  return node.op(ops::Multiply, {node.op(ops::Elu, {divide(node, x, factor)}, {{"alpha", 1.0}}), factor});
}

Value thresholded_relu_1(NodeContext& node, Value x) {
  const Value is_above = node.op(ops::Greater, {x, node.number_like(node.real_attribute("alpha", 1), x)});
  return node.op(ops::Select, {is_above, x, node.number_like(0, x)});
}

Value hard_sigmoid_1(NodeContext& node, Value x) {
  return {node.op(ops::HardSigmoid, {x, node.number_like(node.real_attribute("alpha", 0.2F), x),
                                     node.number_like(node.real_attribute("beta", 0.5F), x)})};
}

Value gelu_20(NodeContext& node, Value x) {
  const std::string approximate = node.text_attribute("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    node.fail("attribute 'approximate' must be none or tanh, it is " + approximate);
  }
  return node.op(ops::Gelu, {x}, {{"approximation_mode", approximate == "tanh" ? "TANH" : "ERF"}});
}

/// Swish 24: x * sigmoid(alpha * x).
Value swish_24(NodeContext& node, Value x) {
  const double alpha = node.real_attribute("alpha", 1);
  if (alpha == 1) return node.op(ops::Swish, {x});
  return node.op(ops::Swish, {x, node.number_like(alpha, x)});
}

/// Shrink 9: x + bias below -lambd, x - bias above lambd, 0 between.
Value shrink_9(NodeContext& node, Value input) {
  const ElementType computed = ir::is_floating(input.type()) ? input.type() : ElementType::f32;
  const Value x = convert(node, input, computed);
  const double lambda = node.real_attribute("lambd", 0.5);
  const Value bias = node.number_like(node.real_attribute("bias", 0), x);
  const Value is_above = node.op(ops::Greater, {x, node.number_like(lambda, x)});
  const Value is_below = node.op(ops::Less, {x, node.number_like(-lambda, x)});
  const Value high =
      node.op(ops::Select, {is_above, node.op(ops::Subtract, {x, bias}), node.number_like(0, x)});
  return convert(node, node.op(ops::Select, {is_below, node.op(ops::Add, {x, bias}), high}), input.type());
}

Value reciprocal_1(NodeContext& node, Value x) {
  return divide(node, node.number_like(1, x), x);
}

/// IsInf 10, 20.
Value is_inf_10(NodeContext& node, Value x) {
  return node.op(ops::IsInf, {x},
                 {{"detect_negative", node.flag_attribute("detect_negative", true)},
                  {"detect_positive", node.flag_attribute("detect_positive", true)}});
}

/// The value of a bound if it is a known finite number.
std::optional<double> known_bound(const NodeContext& node, Value bound) {
  const auto numbers = node.known_numbers(bound);
  if (!numbers || numbers->size() != 1 || std::isnan(numbers->front())) return std::nullopt;
  return numbers->front();
}

/// The bound of Clip that is absent: the largest finite number. Before version 12, the bounds of f16 are
/// those of f32, which do not limit it. OpenVINO does not compute f64 in its own precision.
std::optional<double> default_bound(const NodeContext& node, ElementType type) {
  constexpr std::int64_t kFirstWithHalfPrecision = 12;
  if (type == ElementType::f16 && node.opset() < kFirstWithHalfPrecision) return std::nullopt;
  return type == ElementType::f64 ? std::nullopt : ir::largest_finite(type);
}

/// Clip of a value with at least one bound. If min exceeds max, the result is max.
Value clip_between(NodeContext& node, Value x, Value min, Value max) {
  if (min && max && ir::is_floating(x.type())) {
    const auto low = known_bound(node, min);
    const auto high = known_bound(node, max);
    if (low && high && *low <= *high) return node.op(ops::Clamp, {x}, {{"min", *low}, {"max", *high}});
  }
  if (min) x = node.op(ops::Maximum, {x, require_scalar(node, min, "min")});
  if (max) x = node.op(ops::Minimum, {x, require_scalar(node, max, "max")});
  return x;
}

/// An absent bound limits infinities to the largest finite number.
Value clip(NodeContext& node, Value x, Value min, Value max) {
  const bool has_bounds = min || max;
  const auto largest = default_bound(node, x.type());
  if (!has_bounds && !largest) return x;
  if (!min && largest) min = node.number_like(-*largest, x);
  if (!max && largest) max = node.number_like(*largest, x);
  const Value clipped = clip_between(node, x, min, max);
  if (has_bounds) return clipped;
  return node.op(ops::Select, {node.op(ops::IsNaN, {x}), x, clipped});
}

/// Clip 1, 6 (bounds as attributes), 11, 12, 13 (as optional inputs).
Value clip_1(NodeContext& node, Value x) {
  const auto bound = [&](std::string_view name, std::size_t index) {
    return node.has_attribute(name) ? node.number_like(node.real_attribute(name), x)
                                    : node.optional_input(index);
  };
  const Value min = bound("min", 1);
  return clip(node, x, min, bound("max", 2));
}

}  // namespace

std::vector<TranslatorRow> unary_translators() {
  return with_ranks(RankRule::map,
                    {
                        {"Relu", 1, same_unary<ops::ReLU>},
                        {"Sigmoid", 1, same_unary<ops::Sigmoid>},
                        {"Softplus", 1, same_unary<ops::SoftPlus>},
                        {"Softsign", 1, same_unary<ops::SoftSign>},
                        {"Mish", 18, same_unary<ops::Mish>},
                        {"HardSwish", 14, same_unary<ops::HSwish>},
                        {"LeakyRelu", 1, unary<leaky_relu_1>},
                        {.name = "PRelu", .since = 1, .translate = unary<prelu_1>, .ranks = RankRule::keep},
                        {.name = "PRelu", .since = 7, .translate = unary<prelu_7>, .ranks = RankRule::keep},
                        {"Elu", 1, unary<elu_1>},
                        {"Selu", 1, unary<selu_1>},
                        {"Celu", 12, unary<celu_12>},
                        {"ThresholdedRelu", 1, unary<thresholded_relu_1>},
                        {"HardSigmoid", 1, unary<hard_sigmoid_1>},
                        {"Gelu", 20, unary<gelu_20>},
                        {"Swish", 24, unary<swish_24>},
                        {"Shrink", 9, unary<shrink_9>},
                        {"Abs", 1, same_unary<ops::Abs>},
                        {"Neg", 1, same_unary<ops::Negative>},
                        {"Sign", 9, same_unary<ops::Sign>},
                        {"Sqrt", 1, same_unary<ops::Sqrt>},
                        {"Exp", 1, same_unary<ops::Exp>},
                        {"Log", 1, same_unary<ops::Log>},
                        {"Floor", 1, same_unary<ops::Floor>},
                        {"Ceil", 1, same_unary<ops::Ceiling>},
                        {"Round", 11, unary<round_to_even>},
                        {"Reciprocal", 1, unary<reciprocal_1>},
                        {"Sin", 7, same_unary<ops::Sin>},
                        {"Cos", 7, same_unary<ops::Cos>},
                        {"Tan", 7, same_unary<ops::Tan>},
                        {"Asin", 7, same_unary<ops::Asin>},
                        {"Acos", 7, same_unary<ops::Acos>},
                        {"Atan", 7, same_unary<ops::Atan>},
                        {"Sinh", 9, same_unary<ops::Sinh>},
                        {"Cosh", 9, same_unary<ops::Cosh>},
                        {"Tanh", 1, same_unary<ops::Tanh>},
                        {"Asinh", 9, same_unary<ops::Asinh>},
                        {"Acosh", 9, same_unary<ops::Acosh>},
                        {"Atanh", 9, same_unary<ops::Atanh>},
                        {"Erf", 9, same_unary<ops::Erf>},
                        {"IsNaN", 9, same_unary<ops::IsNaN>},
                        {"IsInf", 10, unary<is_inf_10>},
                        {"Not", 1, same_unary<ops::LogicalNot>},
                        {"BitwiseNot", 18, same_unary<ops::BitwiseNot>},
                        {"Clip", 1, unary<clip_1>},
                    });
}

}  // namespace onnx2ir::frontend
