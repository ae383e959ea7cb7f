// Workaround for rounded_constant_sum: OpenVINO computes (x + a) * c + b as x * c + (a * c + b) if a, b and c
// are constants. Where x + a is 0, the result should be b, but b is rounded to the precision of a * c, or
// lost: (1 - mask) * -1e9 + position bias. Here a copy of the inner sum, which OpenVINO does not remove,
// keeps the constants apart.
#include <algorithm>
#include <cmath>
#include <limits>

#include "passes/constant_values.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/run_time_values.hpp"
#include "passes/scalar_pattern.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kSums{ops::Add, ops::Subtract};

constexpr int kSteps = 8;  // of the computation of a constant
/// The operations of a chain that are followed: bounds the time for long chains of sums.
constexpr int kMostFused = 16;
/// The rounding of b is that of a number which is larger by this factor.
constexpr double kRounded = 64;
/// Smaller factors scale data, larger ones masks. Sums of data should be fused: batch normalisations.
constexpr double kLeastFactor = 256;
/// Summands of x that are larger than this by far are masks themselves: x + a is never 0.
constexpr double kLargestSummand = 65536;

/// Masks and factors are smaller; larger constants are not read.
constexpr std::uint64_t kMostBytes = 1 << 16;
constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

/// The largest finite magnitude of a constant; no value if it is unknown.
std::optional<double> magnitude(ir::Value value, std::uint64_t most_bytes) {
  const ir::ConstantData* const data = value.node->constant();
  if (data == nullptr || data->size() > most_bytes) return std::nullopt;
  const auto numbers = ir::decode_numbers(value.type(), data->bytes(),
                                          static_cast<std::size_t>(*value.shape().element_count()));
  if (!numbers) return std::nullopt;
  double largest = 0;
  for (const double number : *numbers) {
    if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
  }
  return largest;
}

/// An operation on a value and a constant.
struct Step {
  ir::Value operand;
  ir::Value constant;
};

Step step_of(const ir::Node& node) {
  if (!node.is_one_of({ops::Add, ops::Subtract, ops::Multiply, ops::Divide})) return {};
  if (is_folded(node.input(1), kSteps)) return {node.input(0), node.input(1)};
  if (!node.is(ops::Divide) && is_folded(node.input(0), kSteps)) return {node.input(1), node.input(0)};
  return {};
}

/// A sum inside of another one, and its constant, multiplied by all later factors.
struct InnerSum {
  ir::Value value;
  double constant;
};

/// The sums in x * factors + constants, and the product of the factors.
struct LinearChain {
  ir::SmallVector<InnerSum, 4> sums;
  double factor = 1;
};

/// Whether a chain has a factor. Reads no constants: most sums have none, and every sum of a model is
/// examined.
bool has_factor(ir::Value value) {
  for (int step = 0; step < kMostFused && is_used_once(value); ++step) {
    const ir::Node& node = *value.node;
    if (node.is(ops::Multiply) || node.is(ops::Divide)) return true;
    const ir::Value operand = node.is(ops::Negative) ? node.input(0) : step_of(node).operand;
    if (!operand) return false;
    value = operand;
  }
  return false;
}

LinearChain chain_of(ir::Value value) {
  LinearChain chain;
  for (int step = 0; step < kMostFused && is_used_once(value); ++step) {
    const ir::Node& node = *value.node;
    if (node.is(ops::Negative)) {
      value = node.input(0);
      continue;
    }
    const Step last = step_of(node);
    const auto size = last.operand ? magnitude(last.constant, kMostBytes) : std::nullopt;
    if (!size) break;
    if (node.is_one_of(kSums)) {
      chain.sums.push_back({value, *size * chain.factor});
    } else {
      chain.factor = node.is(ops::Multiply) ? chain.factor * *size : chain.factor / *size;
    }
    value = last.operand;
  }
  return chain;
}

/// The sums inside of `outer` whose constants OpenVINO adds to that of `outer`, which is rounded then.
ir::SmallVector<InnerSum, 4> sums_to_separate(const ir::Node& outer) {
  ir::SmallVector<InnerSum, 4> found;
  if (!ir::is_floating(outer.output(0).type) || !outer.graph().may_hold({ops::Multiply, ops::Divide})) {
    return found;
  }
  const Step last = step_of(outer);
  if (!last.operand || !has_factor(last.operand)) return found;
  const LinearChain chain = chain_of(last.operand);
  if (chain.sums.empty() || !(chain.factor >= kLeastFactor)) return found;
  // OpenVINO folds constants that are computed from others: a position bias is of about this size.
  const double added = magnitude(last.constant, kAny).value_or(1);
  for (const InnerSum& sum : chain.sums) {
    const bool may_cancel = sum.constant <= chain.factor * kLargestSummand;
    if (added != 0 && sum.constant >= added * kRounded && may_cancel) found.push_back(sum);
  }
  return found;
}

bool is_affected(const ir::Node& outer) {
  return !sums_to_separate(outer).empty();
}

void separate_sums(ir::Builder&, ir::Node& outer) {
  for (const InnerSum& sum : sums_to_separate(outer)) {
    ir::Builder builder = ir::builder_beside(*sum.value.node);
    separate_from_uses(builder, *sum.value.node);
  }
}

}  // namespace

Workaround separate_constant_sums() {
  return {.name = "separate_constant_sums",
          .stage = Stage::kernels,
          .summary = "Keeps OpenVINO from adding a constant to a much larger one after a mask",
          .rows = {LegalizationRow{Fault::rounded_constant_sum, kSums, is_affected, separate_sums}}};
}

}  // namespace onnx2ir::passes
