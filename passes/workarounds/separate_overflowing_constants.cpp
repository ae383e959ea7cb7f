// Workaround for overflowing_constants: OpenVINO computes (x + a) * b as x * b + a * b, (x + a) + b as
// x + (a + b), and (x * a) * b as x * (a * b), in the type of the constants, before it knows x. Where x + a
// is 0, an infinite a * b stays infinite. In f16, 65504 is the largest number. Here a copy of the inner
// result, which OpenVINO does not remove, keeps the constants apart.
#include <cmath>
#include <limits>

#include "ir/graph.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/scalar_pattern.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kArithmetic{ops::Add, ops::Subtract, ops::Multiply, ops::Divide};

/// The operations of a chain that are followed: bounds the time for long chains.
constexpr int kMostFused = 16;
/// Constants of more bytes are not read: such scales and masks have more elements than a channel or a row.
constexpr std::uint64_t kMostBytes = 1 << 16;

/// The positive numbers of a type that have full precision.
Magnitudes range_of(ir::ElementType type) {
  switch (type) {
    case ir::ElementType::f16:
      return {0x1p-14, 65504};
    case ir::ElementType::bf16:
      return {0x1p-126, 0x1.fep127};
    case ir::ElementType::f32:
      return {std::numeric_limits<float>::min(), std::numeric_limits<float>::max()};
    default:
      return {0, std::numeric_limits<double>::infinity()};
  }
}

/// The constants of x * factor + sum, for which OpenVINO replaces a chain of operations.
class CombinedConstants {
 public:
  /// Adds an operation before those so far. Returns whether the constants stay in the range of the type.
  bool add(const ir::Node& node, Magnitudes constant) {
    if (constant.largest == 0) return true;
    if (node.is(ops::Multiply)) {
      factor_ = {factor_.smallest * constant.smallest, factor_.largest * constant.largest};
    } else if (node.is(ops::Divide)) {
      factor_ = {factor_.smallest / constant.largest, factor_.largest / constant.smallest};
    } else {
      sum_ += constant.largest * factor_.largest;
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

/// The first value before `outer` whose constant would be combined with those of later operations to a number
/// out of range; null if no value is affected.
ir::Value value_to_separate(const ir::Node& outer) {
  if (!ir::is_floating(outer.output(0).type)) return {};
  ConstantStep step = constant_step(outer);
  ir::Value inner = combined_operand(step.operand);
  // Reads no constants if there is one operation: most sums and products stand alone.
  if (!inner || !constant_step(*inner.node).operand) return {};
  CombinedConstants combined;
  auto constant = magnitudes(step.constant, kMostBytes);
  if (!constant || !combined.add(outer, *constant)) return {};
  for (int count = 1; count < kMostFused && inner; ++count) {
    step = constant_step(*inner.node);
    constant = step.operand ? magnitudes(step.constant, kMostBytes) : std::nullopt;
    if (!constant) return {};
    if (!combined.add(*inner.node, *constant)) return inner;
    inner = combined_operand(step.operand);
  }
  return {};
}

bool is_affected(const ir::Node& outer) {
  return static_cast<bool>(value_to_separate(outer));
}

void separate(ir::Builder&, ir::Node& outer) {
  ir::Node& inner = *value_to_separate(outer).node;
  ir::Builder builder = ir::builder_beside(inner);
  separate_from_uses(builder, inner);
}

}  // namespace

Workaround separate_overflowing_constants() {
  return {.name = "separate_overflowing_constants",
          .stage = Stage::kernels,
          .summary = "Keeps OpenVINO from combining constants to one that is infinite or 0",
          .rows = {LegalizationRow{Fault::overflowing_constants, kArithmetic, is_affected, separate}}};
}

}  // namespace onnx2ir::passes
