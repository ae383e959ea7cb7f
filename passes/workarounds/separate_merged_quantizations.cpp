// Workaround for merged_quantizations: OpenVINO adds a constant to the range of the FakeQuantize before it,
// and then merges two FakeQuantizes whose ranges are nearly equal. If the constant is no multiple of the
// step, they round differently. A copy keeps the sum apart from the first one.
#include <algorithm>
#include <cmath>
#include <optional>

#include "ir/views/elementwise.hpp"
#include "ir/views/quantization.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/operation_groups.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// One number, or one for each channel.
double element(const ir::Numbers& numbers, std::size_t index) {
  return numbers[std::min(index, numbers.size() - 1)];
}

/// Whether ranges that `added` moves may be taken for equal, although they are not.
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
  const std::size_t count =
      std::max({low->size(), high->size(), other_low->size(), other_high->size(), added->size()});
  for (std::size_t i = 0; i < count; ++i) {
    const double step =
        (element(*other_high, i) - element(*other_low, i)) / static_cast<double>(second.levels() - 1);
    const double at_low = std::abs(element(*low, i) + sign * element(*added, i) - element(*other_low, i));
    const double at_high = std::abs(element(*high, i) + sign * element(*added, i) - element(*other_high, i));
    if (std::max(at_low, at_high) < kMostSteps * step && std::max(at_low, at_high) > kLeastSteps * step)
      return true;
  }
  return false;
}

bool may_merge(const ir::Node& sum) {
  if (!ir::is_computed_from_constants(sum.input(1)) || sum.input(1).shape().element_count() == 0)
    return false;
  const auto first = ir::match<ir::FakeQuantizeView>(sum.input(0));
  if (!first) return false;
  const double sign = sum.is(ops::Subtract) ? -1 : 1;
  return std::ranges::any_of(sum.output(0).uses, [&](const ir::Use& use) {
    const auto second = ir::match<ir::FakeQuantizeView>(*use.node);
    return second && use.index == ir::FakeQuantizeView::Input::data &&
           are_nearly_equal(*first, sum.input(1), sign, *second);
  });
}

}  // namespace

Workaround separate_merged_quantizations() {
  return {
      .stage = Stage::kernels,
      .summary = "Copies quantised numbers before a sum with a constant that is quantised with the same step",
      .rows = {row<may_merge, separate_from_input>(Fault::merged_quantizations, kSums, kIfQuantized)}};
}

}  // namespace onnx2ir::passes
