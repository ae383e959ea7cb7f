// Workaround for disjoint_clamp: the CPU plugin makes the bounds of a Clamp those of the FakeQuantize after
// it. If the two intervals have no number in common, if only in one channel, the lower bound is above the
// upper one, and the numbers become the bound of the Clamp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/views/quantization.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

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
double computed(const ir::Node& node, double data, double constant, bool is_left) {
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
      const double first = computed(node, numbers.low, element, is_left);
      const double second = computed(node, numbers.high, element, is_left);
      if (std::isnan(first) || std::isnan(second)) return {};
      const Interval result = {std::min(first, second), std::max(first, second)};
      if (!results) results = Intervals{result, result};
      if (result.high < results->lowest.high) results->lowest = result;
      if (result.low > results->highest.low) results->highest = result;
    }
  }
  return *results;
}

/// Fault::disjoint_clamp.
bool quantizes_disjoint_numbers(ir::FakeQuantizeView quantize) {
  constexpr int kMostSteps = 8;
  const Intervals numbers = clamped_intervals(quantize.data(), kMostSteps);
  const auto low = extremes_of(quantize.input_low());
  const auto high = extremes_of(quantize.input_high());
  return low && high && (numbers.lowest.high < low->high || numbers.highest.low > high->low);
}

}  // namespace

Workaround separate_disjoint_clamps() {
  return {.stage = Stage::kernels,
          .summary = "Keeps a Clamp apart from a FakeQuantize that maps all of its numbers to one",
          .rows = {row<quantizes_disjoint_numbers, separate_from_input>(Fault::disjoint_clamp,
                                                                        {ops::FakeQuantize})}};
}

}  // namespace onnx2ir::passes
