// The CPU plugin computes (x - zero point) * scale as x * scale - zero point * scale, which is not exactly 0
// at the zero point. Where a comparison or a quotient depends on it, a Clamp without effect between the two
// operations keeps the plugin from fusing them. It also keeps it from computing with integers, so the Clamp
// is emitted nowhere else.
#include <array>
#include <limits>

#include "passes/jumps.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

bool is_dequantization(const ir::Node& multiply) {
  const ir::Node& difference = *multiply.input(0).node;
  if (!difference.is(ops::Subtract)) return false;
  const ir::Node& widened = *difference.input(0).node;
  return widened.is(ops::Convert) && ir::is_integral(widened.input(0).type()) &&
         widened.input(0).node->constant() == nullptr;
}

ir::Value separate(ir::Builder& builder, const ir::Node& multiply) {
  if (!is_dequantization(multiply) || !must_have_exact_zero(multiply)) return {};
  constexpr double kFar = std::numeric_limits<float>::max();
  const std::array inputs{builder.op(ops::Clamp, {multiply.input(0)}, {{"min", -kFar}, {"max", kFar}}),
                          multiply.input(1)};
  return builder.node(ops::Multiply, inputs, multiply.attributes()).value();
}

}  // namespace

bool separate_zero_points(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Multiply}, separate);
}

}  // namespace onnx2ir::passes
