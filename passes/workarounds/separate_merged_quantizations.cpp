// Workaround for merged_quantizations: OpenVINO adds a constant to the range of the FakeQuantize before it,
// and then merges two FakeQuantizes whose ranges are nearly equal. If the constant is not a multiple of the
// step, the merged FakeQuantize rounds differently. A copy of the first result prevents this.
#include <algorithm>
#include <cmath>
#include <optional>

#include "ir/views/elementwise.hpp"
#include "ir/views/quantization.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/analysis/operation_groups.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// One number, or one for each channel.
double element(const ir::Numbers& numbers, std::size_t index) {
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
    const double step =
        (element(*other_high, i) - element(*other_low, i)) / static_cast<double>(second.levels() - 1);
    const double at_low = std::abs(element(*low, i) + sign * element(*added, i) - element(*other_low, i));
    const double at_high = std::abs(element(*high, i) + sign * element(*added, i) - element(*other_high, i));
    if (std::max(at_low, at_high) < kMostSteps * step && std::max(at_low, at_high) > kLeastSteps * step)
      return true;
  }
  return false;
}

/// The operand of a sum with a constant that is copied; null if the sum is not affected.
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

void separate(ir::Builder& builder, ir::Node& sum) {
  const std::size_t index = merged_operand(sum) == sum.input(0) ? 0 : 1;
  const ir::Value operand = sum.input(index);
  builder.set_name(operand.node->name);
  sum.set_input(index, copy_opaquely(builder, operand));
}

}  // namespace

Workaround separate_merged_quantizations() {
  return {
      .stage = Stage::kernels,
      .summary = "Copies quantised numbers before a sum with a constant that is quantised with the same step",
      .rows = {row<merged_operand, separate>(Fault::merged_quantizations, kSums, kIfQuantized)}};
}

}  // namespace onnx2ir::passes
