// The CPU plugin computes (x - zero point) * scale as x * scale - zero point * scale, which is not exactly 0
// at the zero point. Where a comparison or a quotient depends on it, a Clamp without effect between the two
// operations keeps the plugin from fusing them. It also keeps it from computing with integers, so the Clamp
// is emitted nowhere else.
#include <limits>

#include "ir/views/elementwise.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/jumps.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool is_dequantization(ir::MultiplyView multiply) {
  const auto difference = ir::match<ir::SubtractView>(multiply.a());
  const auto widened = difference ? ir::match<ir::ConvertView>(difference->a()) : std::nullopt;
  return widened && ir::is_integral(widened->data().type()) && widened->data().node->constant() == nullptr;
}

bool is_affected(const ir::Node& multiply) {
  return is_dequantization(multiply) && must_have_exact_zero(multiply);
}

ir::Value separate(ir::Builder& builder, ir::MultiplyView multiply) {
  constexpr double kFar = std::numeric_limits<float>::max();
  const ir::Value clamped = builder.op(ops::Clamp, {multiply.a()}, {{"min", -kFar}, {"max", kFar}});
  return ir::clone_with_input(builder, multiply, ir::MultiplyView::Input::a, clamped);
}

}  // namespace

Workaround separate_zero_points() {
  return {.stage = Stage::operations,
          .summary = "Subtracts zero points apart from scales where the result must be exactly 0",
          .rows = {row<is_affected, separate>(Fault::reassociated_zero_point, {ops::Multiply})}};
}

}  // namespace onnx2ir::passes
