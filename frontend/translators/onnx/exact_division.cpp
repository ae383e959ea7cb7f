// Divides by a quantisation scale with the rounding of onnxruntime; uses one Divide if no quotient can be a
// midpoint.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/known_values.hpp"
#include "ir/operation_set.hpp"
#include "ir/views/unary.hpp"
#include "target/faults.hpp"

namespace onnx2ir::frontend {
namespace {

/// The elements of a value are sums of integral multiples of these numbers. Without numbers, they are noise:
/// they have larger rounding errors than a division, and meet other numbers only by chance. No value: not
/// known.
using Steps = std::optional<std::vector<double>>;

constexpr std::size_t kMaxSteps = 16;
constexpr int kMaxNodes = 100;
const Steps kNoise = std::vector<double>();
constexpr ir::OperationSet kPairs = {ops::Add, ops::Subtract, ops::Multiply};

/// Sums, whose order of summation differs between runtimes.
constexpr ir::OperationSet kSums = {ops::MatMul,
                                    ops::Convolution,
                                    ops::GroupConvolution,
                                    ops::ConvolutionBackpropData,
                                    ops::GroupConvolutionBackpropData,
                                    ops::MVN,
                                    ops::ReduceMean,
                                    ops::ScaledDotProductAttention,
                                    ops::LSTMSequence,
                                    ops::GRUSequence,
                                    ops::RNNSequence};
/// Input 0, or numbers that rounding errors keep apart from all midpoints.
constexpr ir::OperationSet kKeepSteps = {
    ops::ReLU, ops::Gelu,   ops::Swish, ops::Mish,    ops::SoftPlus,  ops::Abs,   ops::Negative,
    ops::Tile, ops::Gather, ops::Slice, ops::MaxPool, ops::Broadcast, ops::Split, ops::VariadicSplit};

/// `nodes` is how many nodes may still be visited.
Steps steps_of(Value value, int& nodes);

/// The steps of both values; elements are from one or the other.
Steps either(const Steps& a, const Steps& b) {
  if (!a || !b || a->size() + b->size() > kMaxSteps) return std::nullopt;
  Steps both = a;
  both->insert(both->end(), b->begin(), b->end());
  return both;
}

Steps steps_of_parts(const ir::Node& node, std::size_t first, int& nodes) {
  Steps all = kNoise;
  for (std::size_t i = first; i < node.inputs().size(); ++i)
    all = either(all, steps_of(node.input(i), nodes));
  return all;
}

Steps steps_of_constant(Value value) {
  if (value.node->is(ops::Convert)) value = value.node->input(0);
  const auto count = value.shape().element_count();
  if (!count || *count > static_cast<std::int64_t>(kMaxSteps)) return std::nullopt;
  const auto numbers = ir::exact_numbers(value);
  if (!numbers) return std::nullopt;
  std::vector<double> steps;
  for (const double number : *numbers) steps.push_back(std::abs(number));
  return steps;
}

/// Of a sum or a product.
Steps steps_of_pair(const ir::Node& node, int& nodes) {
  const Steps a = steps_of(node.input(0), nodes);
  if (a == kNoise) return kNoise;
  const Steps b = steps_of(node.input(1), nodes);
  if (b == kNoise) return kNoise;
  if (!node.is(ops::Multiply)) return either(a, b);
  if (!a || !b || a->size() * b->size() > kMaxSteps) return std::nullopt;
  std::vector<double> products;
  for (const double x : *a) {
    for (const double y : *b) products.push_back(x * y);
  }
  return products;
}

/// Results that are limited to a range: its ends are frequent.
Steps limited(Steps steps, double low, double high) {
  if (steps) steps->insert(steps->end(), {std::abs(low), std::abs(high)});
  return steps;
}

/// min(max(alpha * x + beta, 0), 1).
Steps steps_of_hard_sigmoid(ir::HardSigmoidView function, int& nodes) {
  const auto alpha = ir::exact_number(function.alpha());
  const auto beta = ir::exact_number(function.beta());
  Steps steps = steps_of(function.data(), nodes);
  if (!alpha || !beta || !steps) return std::nullopt;
  if (steps == kNoise) return limited(steps, 0, 1);
  for (double& size : *steps) size *= std::abs(*alpha);
  return limited(steps, 1, *beta);
}

/// x * min(max(x + 3, 0), 6) / 6.
Steps steps_of_hard_swish(const ir::Node& node, int& nodes) {
  Steps steps = steps_of(node.input(0), nodes);
  if (!steps || steps == kNoise) return steps;
  if (steps->size() != 1) return std::nullopt;
  const double size = steps->front();
  return std::vector{size, size / 2, size * size / 6};
}

Steps steps_of(Value value, int& nodes) {
  const ir::Node& node = *value.node;
  if (nodes-- <= 0) return std::nullopt;
  if (node.is_one_of(kSums)) return kNoise;
  if (node.is_one_of(kKeepSteps) || node.op().traits.rearranges || node.op().traits.reshapes)
    return steps_of(node.input(0), nodes);
  if (node.is(ops::Const)) return steps_of_constant(value);
  const bool is_dequantized = node.is(ops::Multiply) && node.find_attribute("dequantizes") != nullptr;
  if (is_dequantized) return steps_of_constant(node.input(1));
  if (node.is_one_of(kPairs)) return steps_of_pair(node, nodes);
  if (node.is(ops::Concat)) return steps_of_parts(node, 0, nodes);
  if (node.is(ops::Select)) return steps_of_parts(node, 1, nodes);
  if (node.is(ops::Clamp)) return limited(steps_of(node.input(0), nodes), node.real("min"), node.real("max"));
  if (node.is(ops::HSwish)) return steps_of_hard_swish(node, nodes);
  if (node.is(ops::HardSigmoid)) return steps_of_hard_sigmoid(node, nodes);
  return std::nullopt;
}

/// Whether an odd multiple of 1/2 is a multiple of `ratio` but for rounding errors: whether `ratio` is a
/// fraction with a small even denominator.
bool meets_midpoints(double ratio) {
  constexpr double kMaxDenominator = 128;
  constexpr double kPrecision = 0x1p-21;
  if (ratio == 0) return false;
  // The convergents of the continued fraction.
  double rest = ratio;
  std::array<double, 2> numerators = {0, 1};
  std::array<double, 2> denominators = {1, 0};
  while (true) {
    const double whole = std::floor(rest);
    const double numerator = whole * numerators[1] + numerators[0];
    const double denominator = whole * denominators[1] + denominators[0];
    if (!(denominator <= kMaxDenominator)) return false;
    if (std::abs(ratio - numerator / denominator) <= kPrecision * ratio) {
      return std::fmod(denominator, 2) == 0;
    }
    numerators[0] = std::exchange(numerators[1], numerator);
    denominators[0] = std::exchange(denominators[1], denominator);
    rest = 1 / (rest - whole);
  }
}

/// Whether rounding x / `scale` needs an exact quotient: whether it may be the midpoint of two integers. It
/// meets a midpoint only by chance if x is a sum, because the rounding errors of sums differ between runtimes
/// anyway, or if x is a multiple of another scale, unless the quotient of both scales is a
/// simple fraction.
bool may_be_midpoint(Value x, Value scale) {
  int nodes = kMaxNodes;
  const Steps steps = steps_of(x, nodes);
  if (!steps) return true;
  if (steps == kNoise) return false;
  const Steps scales = steps_of_constant(scale);
  if (!scales) return true;
  return std::ranges::any_of(*steps, [&](double size) {
    return std::ranges::any_of(*scales, [&](double unit) { return meets_midpoints(size / unit); });
  });
}

}  // namespace

Value divide_before_rounding(NodeContext& node, Value x, Value scale) {
  // Not a row, as divide_exactly(): a model may round any quotient.
  if (!node.target().has(Fault::division_by_reciprocal) || !may_be_midpoint(x, scale)) {
    return divide(node, x, scale);
  }
  // Twice the range of 16-bit integers. An infinite quotient would have no midpoint.
  constexpr double kFar = 1 << 17;
  const Value near = node.op(ops::Clamp, {divide(node, x, scale)}, {{"min", -kFar}, {"max", kFar}});
  const Value middle = node.op(ops::Add, {node.op(ops::Floor, {near}), node.number_like(0.5, near)});
  // The product of the midpoint's 18 bits and the leading 6 bits of the scale (by Veltkamp's splitting) is
  // exact.
  const Value negative = node.op(ops::Multiply, {scale, node.number_like(-1, scale)});
  const Value scaled = node.op(ops::Multiply, {negative, node.number_like((1 << 18) + 1, negative)});
  const Value leading = node.op(ops::Subtract, {scaled, node.op(ops::Subtract, {scaled, negative})});
  const Value others = node.op(ops::Subtract, {negative, leading});
  // Sums, because the plugin fuses the first operand of a Subtract only.
  const Value remainder = node.op(ops::Add, {node.op(ops::Multiply, {middle, leading}), x});
  const Value rest = node.op(ops::Add, {remainder, node.op(ops::Multiply, {middle, others})});
  return node.op(ops::Add, {divide(node, rest, scale), middle});
}

}  // namespace onnx2ir::frontend
