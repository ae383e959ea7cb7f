// The CPU plugin computes (x - zero point) * scale as x * scale - zero point * scale, which is not exactly 0
// at the zero point. Where a comparison or a quotient depends on it, a Clamp without effect between the two
// operations keeps the plugin from fusing them. It also keeps it from computing with integers, so the Clamp
// is emitted nowhere else.
#include <array>
#include <limits>

#include "passes/jumps.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

bool is_dequantization(const ir::Node& multiply) {
  const ir::Node& difference = *multiply.input(0).node;
  if (!difference.is(ops::Subtract)) return false;
  const ir::Node& widened = *difference.input(0).node;
  return widened.is(ops::Convert) && ir::is_integral(widened.input(0).type()) &&
         widened.input(0).node->constant() == nullptr;
}

bool is_affected(const ir::Node& multiply) {
  return is_dequantization(multiply) && must_have_exact_zero(multiply);
}

ir::Value separate(ir::Builder& builder, const ir::Node& multiply) {
  constexpr double kFar = std::numeric_limits<float>::max();
  const std::array inputs{builder.op(ops::Clamp, {multiply.input(0)}, {{"min", -kFar}, {"max", kFar}}),
                          multiply.input(1)};
  return builder.node(ops::Multiply, inputs, multiply.attributes()).value();
}

}  // namespace

Workaround separate_zero_points() {
  return {.name = "separate_zero_points",
          .stage = Stage::operations,
          .summary = "Subtracts zero points apart from scales where the result must be exactly 0",
          .rows = {LegalizationRow{
              Fault::reassociated_zero_point, {ops::Multiply}, is_affected, replace<separate>}}};
}

}  // namespace onnx2ir::passes
