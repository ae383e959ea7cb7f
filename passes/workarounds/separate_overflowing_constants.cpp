// Workaround for overflowing_constants: OpenVINO computes (x + a) * b as x * b + a * b, (x + a) + b as
// x + (a + b), and (x * a) * b as x * (a * b), in the type of the constants, before it knows x. Where x + a
// is 0, an infinite a * b stays infinite. In f16, 65504 is the largest number. Here a copy of the inner
// result, which OpenVINO does not remove, keeps the constants apart.
#include <algorithm>
#include <limits>

#include "ir/small_floats.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Constants of more bytes are not read: such scales and masks have more elements than a channel or a row.
constexpr std::uint64_t kMostBytes = 1 << 16;

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

/// The last value before the end of a chain whose constant would be combined with those of later operations
/// to a number out of range; null if no value is affected.
ir::Value value_to_separate(const ir::Node& end) {
  if (!ir::is_floating(end.output(0).type)) return {};
  ConstantStep step = constant_step(end);
  ir::Value inner = combined_operand(step.operand);
  // Reads no constants if there is one operation: most sums and products stand alone.
  if (!inner || !constant_step(*inner.node).operand || !is_end_of_chain(end)) return {};
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

void separate(ir::Builder& builder, ir::Node& last) {
  ir::Node* end = &last;
  while (const ir::Value inner = value_to_separate(*end)) {
    end = inner.node;
    separate_from_uses(builder, *end);
  }
}

}  // namespace

Workaround separate_overflowing_constants() {
  return {.stage = Stage::kernels,
          .summary = "Keeps OpenVINO from combining constants to one that is infinite or 0",
          .rows = {row<value_to_separate, separate>(Fault::overflowing_constants, kSumsAndFactors)}};
}

}  // namespace onnx2ir::passes
