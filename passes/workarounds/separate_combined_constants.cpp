// Workarounds for constants that OpenVINO combines before it knows the data: it computes (x + a) * c + b as
// x * c + (a * c + b), (x + a) + b as x + (a + b), and (x * a) * b as x * (a * b), in the type of the
// constants. Here a copy of the inner result, which OpenVINO does not remove, keeps the constants apart.
#include <algorithm>
#include <limits>

#include "ir/small_floats.hpp"
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

/// Constants of more bytes are not read: such scales and masks have more elements than a channel or a row.
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

/// Fault::rounded_constant_sum. Where x + a is 0, the result should be b, but b is rounded to the precision
/// of a * c, or lost: (1 - mask) * -1e9 + position bias. Without a factor, b is rounded if the numbers
/// have 16 bits: the CPU plugin computes the sums in f32. The result is the last sum before `outer` if
/// OpenVINO adds the constant of an inner sum to that of `outer`, which is rounded then. A copy of it keeps
/// the constants of all earlier sums apart, too.
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
  if (const ir::Value sum = sum_to_separate(outer)) separate_from_uses(builder, *sum.node);
}

/// The positive numbers of a type that have full precision.
Magnitudes range_of(ir::ElementType type) {
  switch (type) {
    case ir::ElementType::f16:
      return {0x1p-14, *ir::largest_finite(type)};
    case ir::ElementType::bf16:
    case ir::ElementType::f32:
      return {0x1p-126, *ir::largest_finite(type)};
    default:
      return {0, std::numeric_limits<double>::infinity()};
  }
}

/// The largest and smallest constants of x * factor + sum, for which OpenVINO replaces any part of a chain of
/// operations. Operations are added from the last one, because the constant of an operation is multiplied by
/// the factors of all later ones.
class CombinedConstants {
 public:
  /// Adds an operation before those so far. Returns whether the constants stay in the range of the type.
  bool add(const ir::Node& node, Magnitudes constant) {
    if (constant.largest == 0) return true;
    // A part of the chain may begin at any operation: with the factor 1.
    const Magnitudes later{std::min(factor_.smallest, 1.0), std::max(factor_.largest, 1.0)};
    if (node.is(ops::Multiply)) {
      factor_ = {later.smallest * constant.smallest, later.largest * constant.largest};
    } else if (node.is(ops::Divide)) {
      factor_ = {later.smallest / constant.largest, later.largest / constant.smallest};
    } else {
      sum_ += constant.largest * later.largest;
    }
    const Magnitudes range = range_of(node.output(0).type);
    return sum_ <= range.largest && factor_.largest <= range.largest && factor_.smallest >= range.smallest;
  }

 private:
  Magnitudes factor_{1, 1};
  double sum_ = 0;
};

/// The operand without the Negatives that OpenVINO makes factors; null if others read one of them.
ir::Value combined_operand(ir::Value operand) {
  while (operand && is_used_once(operand) && operand.node->is(ops::Negative))
    operand = operand.node->input(0);
  return operand && is_used_once(operand) ? operand : ir::Value{};
}

/// Whether no arithmetic with a constant follows: chains are examined once, from their ends, because a walk
/// from each operation would take quadratic time.
bool is_end_of_chain(const ir::Node& node) {
  const ir::Node* reader = only_reader(node);
  while (reader != nullptr && reader->is(ops::Negative)) reader = only_reader(*reader);
  return reader == nullptr || !constant_step(*reader).operand;
}

/// Fault::overflowing_constants. Where x + a is 0, an infinite a * b stays infinite. In f16, 65504 is the
/// largest number. The result is the last value before the end of a chain whose constant would be combined
/// with those of later operations to a number out of range; null if no value is affected.
ir::Value value_to_separate(const ir::Node& end) {
  if (!ir::is_floating(end.output(0).type)) return {};
  ConstantStep step = constant_step(end);
  if (!step.operand || !is_end_of_chain(end)) return {};
  ir::Value inner = combined_operand(step.operand);
  // Reads no constants if there is one operation: most sums and products stand alone.
  if (!inner || !constant_step(*inner.node).operand) return {};
  CombinedConstants combined;
  const ir::Node* node = &end;
  ir::Value value;  // of `node`; null for the end
  while (step.operand) {
    const auto constant = magnitudes(step.constant, kMostBytes);
    const bool is_in_range = constant && combined.add(*node, *constant);
    if (constant && !is_in_range && value) return value;
    if (!is_in_range) combined = {};
    if (!inner) return {};
    value = inner;
    node = inner.node;
    step = constant_step(*node);
    inner = combined_operand(step.operand);
  }
  return {};
}

void separate_values(ir::Builder& builder, ir::Node& last) {
  ir::Node* end = &last;
  while (const ir::Value inner = value_to_separate(*end)) {
    end = inner.node;
    separate_from_uses(builder, *end);
  }
}

/// Fault::compared_constants. The product is rounded twice in ONNX, and once where OpenVINO has combined the
/// constants, so that it may not equal the number any more that it is compared with: a threshold of a tree is
/// often the number of a sample.
bool precedes_comparison(const ir::Node& sum) {
  constexpr std::size_t kMostNodes = 16;
  if (!ir::is_floating(sum.output(0).type) || !constant_step(sum).operand) return false;
  const ir::Node* const product = only_reader(sum);
  if (product == nullptr || !product->is_one_of(kFactors) || !constant_step(*product).operand) return false;
  return any_after(*product, kMostNodes, [](const ir::Use& use) {
    if (use.node->is_one_of(kComparisons)) return Search::found;
    return moves_elements(*use.node) ? Search::follow : Search::skip;
  });
}

}  // namespace

Workaround separate_combined_constants() {
  return {
      .summary =
          "Keeps OpenVINO from combining constants if the result overflows, becomes 0, rounds one of them "
          "away, or is compared",
      .stages = {{Stage::kernels,
                  {separating_row<precedes_comparison>(Fault::compared_constants, kSums, kComparisons),
                   row<value_to_separate, separate_values>(Fault::overflowing_constants, kSumsAndFactors),
                   row<sum_to_separate, separate_sum>(Fault::rounded_constant_sum, kSums)}}}};
}

}  // namespace onnx2ir::passes
