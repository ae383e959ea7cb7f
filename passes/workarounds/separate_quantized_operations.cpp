// Workarounds for wrong fusions of a FakeQuantize or of quantised numbers. OpenVINO moves scales, zero points
// and bounds, and treats conversions to integers as parts of a quantisation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/views/normalization.hpp"
#include "ir/views/quantization.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Fault::scaled_integer_clamp.
bool clamps_scaled_integers(ir::ClampView clamp) {
  constexpr unsigned kBits = 8;
  if (has_no_effect(clamp)) return false;
  const ir::Node* const convert = find_before(*clamp.data().node, {ops::Convert}, [](const ir::Node& node) {
    const bool is_scaling = node.is_one_of(kSumsAndFactors) && constant_operand(node);
    const bool is_passed = is_scaling || moves_elements(node) || node.is(ops::ReLU);
    return is_passed ? variable_operand(node) : ir::Value{};
  });
  if (convert == nullptr) return false;
  const ir::ElementType type = ir::ConvertView(*convert).data().type();
  return ir::is_integral(type) && ir::info(type).bits == kBits;
}

/// Fault::reversed_quantized_sum: the constant is the first operand.
bool is_reversed(const ir::Node& node) {
  if (node.output(0).shape.is_static() || !ir::is_computed_from_constants(node.input(0))) return false;
  const ir::Value constant = constant_operand(node);
  if (!constant || scaled_axes(node).empty()) return false;
  return any_is_one_of(chain_after(node), {ops::FakeQuantize});
}

/// Fault::quantized_extremum.
bool is_quantized_extremum(const ir::Node& node) {
  return any_is_one_of(readers_past_moves(node), {ops::FakeQuantize});
}

/// Fault::quantized_transpose. OpenVINO moves the Transpose after the FakeQuantize.
bool quantizes_transpose(ir::FakeQuantizeView quantize) {
  return !scaled_axes(quantize).empty() && quantize.data().node->is(ops::Transpose) &&
         !quantize.output(0).shape.is_static();
}

/// Whether all numbers that the FakeQuantize gives are integers.
bool gives_integers(ir::FakeQuantizeView quantization) {
  const auto lows = ir::exact_numbers(quantization.output_low());
  const auto highs = lows ? ir::exact_numbers(quantization.output_high()) : std::nullopt;
  if (!highs || lows->size() != highs->size()) return false;
  const auto steps = static_cast<double>(quantization.levels() - 1);
  for (std::size_t i = 0; i < lows->size(); ++i) {
    const double step = ((*highs)[i] - (*lows)[i]) / steps;
    if (std::floor((*lows)[i]) != (*lows)[i] || std::floor(step) != step) return false;
  }
  return true;
}

bool cuts_fractions(ir::ConvertView convert) {
  return ir::is_floating(convert.data().type()) && ir::is_integral(convert.output(0).type);
}

/// Fault::quantized_truncation.
bool cuts_quantized_fractions(ir::ConvertView convert) {
  if (!cuts_fractions(convert)) return false;
  const ir::Node& data = *convert.data().node;
  const auto is_rounded = [](const ir::Node& node) { return quantization_of(node) != nullptr; };
  const ir::Node* const found = find_before(data, is_rounded, [](const ir::Node& node) {
    return is_elementwise(node) && !is_opaque_copy(node) ? variable_operand(node) : ir::Value{};
  });
  return found != nullptr && (found != &data || !gives_integers(*quantization_of(data)));
}

/// Fault::truncation_before_quantization.
bool cuts_fractions_before_quantization(ir::ConvertView convert) {
  constexpr int kBits = 8;
  if (!cuts_fractions(convert) || ir::info(convert.output(0).type).bits != kBits) return false;
  const ir::Node* const found = quantization_of(convert.data());
  if (found != nullptr && gives_integers(ir::FakeQuantizeView(*found))) return false;
  return any_is_one_of(readers_past_moves(convert), {ops::FakeQuantize});
}

/// One number, or one for each channel.
double number_of_channel(const ir::Numbers& numbers, std::size_t index) {
  return numbers[std::min(index, numbers.size() - 1)];
}

/// Whether OpenVINO may treat the range of `first`, moved by `sign` * `constant`, as that of `second`,
/// although they differ.
bool are_nearly_equal(ir::FakeQuantizeView first, ir::Value constant, double sign,
                      ir::FakeQuantizeView second) {
  constexpr double kMostSteps = 4;
  constexpr double kLeastSteps = 1e-3;
  if (first.levels() != second.levels() || first.levels() < 2) return false;
  const auto low = ir::exact_numbers(first.output_low());
  const auto high = ir::exact_numbers(first.output_high());
  const auto other_low = ir::exact_numbers(second.input_low());
  const auto other_high = ir::exact_numbers(second.input_high());
  const auto added = ir::exact_numbers(constant);
  if (!low || !high || !other_low || !other_high || !added)
    return ir::is_computed_from_constants(second.input_low());
  if (low->empty() || high->empty() || other_low->empty() || other_high->empty() || added->empty())
    return false;
  const std::size_t count =
      std::max({low->size(), high->size(), other_low->size(), other_high->size(), added->size()});
  for (std::size_t i = 0; i < count; ++i) {
    const double step = (number_of_channel(*other_high, i) - number_of_channel(*other_low, i)) /
                        static_cast<double>(second.levels() - 1);
    const double at_low = std::abs(number_of_channel(*low, i) + sign * number_of_channel(*added, i) -
                                   number_of_channel(*other_low, i));
    const double at_high = std::abs(number_of_channel(*high, i) + sign * number_of_channel(*added, i) -
                                    number_of_channel(*other_high, i));
    if (std::max(at_low, at_high) < kMostSteps * step && std::max(at_low, at_high) > kLeastSteps * step)
      return true;
  }
  return false;
}

/// Fault::merged_quantizations. OpenVINO adds a constant to the range of the FakeQuantize before it, and then
/// merges two FakeQuantizes whose ranges are nearly equal. If the constant is not a multiple of the step, the
/// merged FakeQuantize rounds differently. The result is the operand of the sum that is copied; null if the
/// sum is not affected.
ir::Value merged_operand(const ir::Node& sum) {
  constexpr std::size_t kMostNodes = 16;
  const ConstantStep step = constant_step(sum);
  const ir::Node* const first = step.operand ? quantization_of(step.operand) : nullptr;
  const bool is_negated = sum.is(ops::Subtract) && step.operand == sum.input(1);
  if (first == nullptr || is_negated) return {};
  const double sign = sum.is(ops::Subtract) ? -1 : 1;
  const bool may_merge = any_after(sum, kMostNodes, [&](const ir::Use& use) {
    const auto second = ir::match<ir::FakeQuantizeView>(*use.node);
    if (!second) return moves_elements(*use.node) ? Search::follow : Search::skip;
    const bool is_data = use.index == ir::FakeQuantizeView::Input::data;
    return is_data && are_nearly_equal(*first, step.constant, sign, *second) ? Search::found : Search::skip;
  });
  return may_merge ? step.operand : ir::Value{};
}

void separate_merged_operand(ir::Builder& builder, ir::Node& sum) {
  const std::size_t index = merged_operand(sum) == sum.input(0) ? 0 : 1;
  const ir::Value operand = sum.input(index);
  builder.set_name(operand.node->name);
  sum.set_input(index, copy_opaquely(builder, operand));
}

struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

/// The intervals of two channels: the one with the least upper bound and the one with the greatest lower one.
struct Intervals {
  Interval lowest;
  Interval highest;
};

/// The least and the greatest element; null if they are not known or the constant is large.
std::optional<Interval> extremes_of(ir::Value constant) {
  constexpr std::int64_t kMostElements = 4096;
  if (constant.shape().element_count().value_or(kMostElements + 1) > kMostElements) return std::nullopt;
  const auto numbers = ir::exact_numbers(constant);
  if (!numbers || numbers->empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(*numbers);
  return Interval{low, high};
}

/// The result of arithmetic with a constant.
double result_of(const ir::Node& node, double data, double constant, bool is_left) {
  if (node.is(ops::Minimum)) return std::min(data, constant);
  if (node.is(ops::Maximum)) return std::max(data, constant);
  if (node.is(ops::Add)) return data + constant;
  if (node.is(ops::Multiply)) return data * constant;
  if (node.is(ops::Subtract)) return is_left ? data - constant : constant - data;
  if (node.is(ops::Divide) && is_left) return data / constant;
  return std::numeric_limits<double>::quiet_NaN();
}

/// The intervals of `value` that Clamps give, also before arithmetic with constants.
Intervals clamped_intervals(ir::Value value, int most_steps) {
  const ir::Node& node = *value.node;
  if (const auto clamp = ir::match<ir::ClampView>(node)) {
    const Interval bounds = {clamp->min(), clamp->max()};
    return {bounds, bounds};
  }
  const ir::Value data = variable_operand(node);
  if (!data || most_steps == 0) return {};
  if (moves_elements(node)) return clamped_intervals(data, most_steps - 1);
  const ir::Value constant = constant_operand(node);
  if (!constant) return {};
  const Intervals moved = clamped_intervals(data, most_steps - 1);
  const auto elements = extremes_of(constant);
  if (!elements) return {};
  std::optional<Intervals> results;
  for (const Interval& numbers : {moved.lowest, moved.highest}) {
    for (const double element : {elements->low, elements->high}) {
      const bool is_left = data == node.input(0);
      const double first = result_of(node, numbers.low, element, is_left);
      const double second = result_of(node, numbers.high, element, is_left);
      if (std::isnan(first) || std::isnan(second)) return {};
      const Interval result = {std::min(first, second), std::max(first, second)};
      if (!results) results = Intervals{result, result};
      if (result.high < results->lowest.high) results->lowest = result;
      if (result.low > results->highest.low) results->highest = result;
    }
  }
  return *results;
}

/// Fault::disjoint_clamp. The CPU plugin makes the bounds of a Clamp those of the FakeQuantize after it. If
/// the two intervals have no number in common, if only in one channel, the lower bound is above the upper
/// one, and the numbers become the bound of the Clamp.
bool quantizes_disjoint_numbers(ir::FakeQuantizeView quantize) {
  constexpr int kMostSteps = 8;
  const Intervals numbers = clamped_intervals(quantize.data(), kMostSteps);
  const auto low = extremes_of(quantize.input_low());
  const auto high = extremes_of(quantize.input_high());
  return low && high && (numbers.lowest.high < low->high || numbers.highest.low > high->low);
}

/// The least difference of neighbouring numbers that a FakeQuantize gives for a channel.
std::optional<double> smallest_step(ir::FakeQuantizeView quantization) {
  const auto lows = ir::exact_numbers(quantization.output_low());
  const auto highs = lows ? ir::exact_numbers(quantization.output_high()) : std::nullopt;
  if (!highs || lows->size() != highs->size()) return std::nullopt;
  double range = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < lows->size(); ++i) range = std::min(range, (*highs)[i] - (*lows)[i]);
  return range / static_cast<double>(quantization.levels() - 1);
}

/// Fault::quantized_normalization. If the step of the data is known, only an epsilon that is not small beside
/// its square: a variance is usually a thousand squares of steps.
bool normalizes_quantized_numbers(const ir::Node& node) {
  constexpr double kSmallPart = 0.1;
  const ir::Node* const source = integers_of(*node.input(0).node);
  if (source == nullptr) return false;
  if (source != quantization_of(node.input(0))) return true;
  const auto step = smallest_step(*source);
  const double epsilon =
      node.is(ops::MVN) ? ir::MVNView(node).eps() : ir::GroupNormalizationView(node).epsilon();
  return !step || epsilon > kSmallPart * *step * *step;
}

/// Fault::quantized_factor_rank. Returns the quantised operand if the other operand is a constant with more
/// axes and several elements, and null otherwise.
ir::Value operand_of_lower_rank(const ir::Node& node) {
  const ir::Value factor = constant_operand(node);
  const ir::Value operand = factor ? variable_operand(node) : ir::Value{};
  if (!operand || factor.shape().element_count() == 1 || !operand.shape().has_rank()) return {};
  if (factor.shape().rank() <= operand.shape().rank() || integers_of(*operand.node) == nullptr) return {};
  return operand;
}

void add_axes_to_operand(ir::Builder& builder, ir::Node& node) {
  const ir::Value operand = operand_of_lower_rank(node);
  const std::size_t missing = constant_operand(node).shape().rank() - operand.shape().rank();
  node.set_input(operand == node.input(0) ? 0 : 1, ir::unsqueeze(builder, operand, all_axes(missing)));
}

}  // namespace

Workaround separate_quantized_operations() {
  return {
      .summary = "Keeps quantised operations apart that OpenVINO would fuse wrongly",
      .stages = {
          {Stage::kernels,
           {row<quantizes_disjoint_numbers, separate_from_input>(Fault::disjoint_clamp, {ops::FakeQuantize}),
            row<merged_operand, separate_merged_operand>(Fault::merged_quantizations, kSums, kIfQuantized),
            row<operand_of_lower_rank, add_axes_to_operand>(Fault::quantized_factor_rank,
                                                            {ops::Multiply, ops::Divide}, kIfQuantized),
            separating_row<is_quantized_extremum>(Fault::quantized_extremum, {ops::ReduceMax, ops::ReduceMin},
                                                  kIfQuantized),
            row<normalizes_quantized_numbers, separate_from_input>(
                Fault::quantized_normalization, {ops::MVN, ops::GroupNormalization}, kIfQuantized),
            row<quantizes_transpose, separate_from_input>(Fault::quantized_transpose, {ops::FakeQuantize}),
            row<must_be_separated<cuts_quantized_fractions>, separate_from_input>(
                Fault::quantized_truncation, {ops::Convert}, kIfQuantized),
            row<is_reversed, swap_operands>(Fault::reversed_quantized_sum, {ops::Add, ops::Multiply},
                                            kIfQuantized),
            row<clamps_scaled_integers, separate_from_input>(Fault::scaled_integer_clamp, {ops::Clamp},
                                                             kIfQuantized),
            separating_row<cuts_fractions_before_quantization>(Fault::truncation_before_quantization,
                                                               {ops::Convert}, kIfQuantized)}}}};
}

}  // namespace onnx2ir::passes
