// Workaround for rounded_constant_sum: OpenVINO computes (x + a) * c + b as x * c + (a * c + b) if a, b and c
// are constants. Where x + a is 0, the result should be b, but b is rounded to the precision of a * c, or
// lost: (1 - mask) * -1e9 + position bias. It computes x + a + b as x + (a + b), which rounds b also without
// a factor if the numbers have 16 bits: the CPU plugin computes the sums in f32. Here a copy of the inner
// sum, which OpenVINO does not remove, keeps the constants apart.
#include <algorithm>
#include <limits>

#include "passes/analysis/constant_values.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// The operations of a chain that are followed: bounds the time for long chains of sums.
constexpr int kMostFused = 8;
/// The rounding of b is that of a number which is larger by this factor.
constexpr double kRounded = 64;
/// Smaller factors scale data, larger ones masks. Sums of data should be fused: batch normalisations.
constexpr double kLeastFactor = 256;
/// Summands of x that are larger than this by far are masks themselves: x + a is never 0.
constexpr double kLargestSummand = 65536;

/// Masks and factors are smaller; larger constants are not read.
constexpr std::uint64_t kMostBytes = 1 << 16;
constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

/// A sum inside of another one, and its constant, multiplied by all later factors.
struct InnerSum {
  ir::Value value;
  double constant;
};

/// The sums in x * factors + constants, and the product of the factors.
struct LinearChain {
  base::SmallVector<InnerSum, 4> sums;
  double factor = 1;
};

/// Whether the last factors of `value`, or those before its last sum, multiply to that of a mask; those
/// before earlier sums are kept apart at these sums. Reads no constants of sums: every sum of a model is
/// examined, and most have no such factor.
bool has_mask_factor(ir::Value value) {
  double factor = 1;
  bool is_before_sum = false;
  for (int step = 0; step < kMostFused && is_used_once(value); ++step) {
    const ir::Node& node = *value.node;
    if (node.is(ops::Negative)) {
      value = node.input(0);
      continue;
    }
    const ConstantStep last = constant_step(node);
    if (!last.operand) return false;
    if (node.is_one_of(kSums)) {
      if (is_before_sum) return false;
      is_before_sum = true;
      factor = 1;
    } else {
      const auto range = magnitudes(last.constant, kMostBytes);
      if (!range) return false;
      factor = node.is(ops::Multiply) ? factor * range->largest : factor / range->largest;
      if (factor >= kLeastFactor) return true;
    }
    value = last.operand;
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
    const ConstantStep last = constant_step(node);
    const auto range = last.operand ? magnitudes(last.constant, kMostBytes) : std::nullopt;
    if (!range) break;
    const double size = range->largest;
    if (node.is_one_of(kSums)) {
      if (size != 0) chain.sums.push_back({value, size * chain.factor});
    } else {
      chain.factor = node.is(ops::Multiply) ? chain.factor * size : chain.factor / size;
    }
    value = last.operand;
  }
  return chain;
}

/// If OpenVINO adds the constant of a sum inside of `outer` to that of `outer`, which is rounded then: the
/// last sum before `outer`. A copy of it keeps the constants of all earlier sums apart, too.
ir::Value sum_to_separate(const ir::Node& outer) {
  const ir::ElementType type = outer.output(0).type;
  const bool is_narrow = type == ir::ElementType::f16 || type == ir::ElementType::bf16;
  if (!ir::is_floating(type) || (!is_narrow && !outer.graph().may_hold(kFactors))) {
    return {};
  }
  const ConstantStep last = constant_step(outer);
  if (!last.operand || (!is_narrow && !has_mask_factor(last.operand))) return {};
  const LinearChain chain = chain_of(last.operand);
  // OpenVINO folds constants that are computed from others: a position bias is of about this size.
  const auto range = magnitudes(last.constant, kAny);
  const double added = range ? range->largest : 1;
  if (added == 0) return {};
  const bool is_rounded = std::ranges::any_of(chain.sums, [&](const InnerSum& sum) {
    const bool may_cancel = sum.constant <= chain.factor * kLargestSummand;
    return may_cancel && sum.constant >= added * kRounded;
  });
  return is_rounded ? chain.sums.front().value : ir::Value{};
}

void separate_sum(ir::Builder& builder, ir::Node& outer) {
  separate_from_uses(builder, *sum_to_separate(outer).node);
}

}  // namespace

Workaround separate_constant_sums() {
  return {.stage = Stage::kernels,
          .summary = "Keeps OpenVINO from adding a constant to a much larger one after a mask",
          .rows = {row<sum_to_separate, separate_sum>(Fault::rounded_constant_sum, kSums)}};
}

}  // namespace onnx2ir::passes
