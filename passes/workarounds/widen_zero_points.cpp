// Some releases read zero points of type i4 as unsigned. As i8 they are read correctly; there are few, so the
// cost is small.
#include "ir/views/elementwise.hpp"
#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool has_4_bit_zero_point(ir::SubtractView subtract) {
  const auto numbers = ir::match<ir::ConvertView>(subtract.a());
  const auto zero_point = ir::match<ir::ConvertView>(subtract.b());
  if (!numbers || !zero_point) return false;
  const ir::Value small = zero_point->data();
  return small.node->constant() != nullptr && small.type() == ir::ElementType::i4 &&
         numbers->data().node->constant() != nullptr;
}

ir::Value widen(ir::Builder& builder, ir::SubtractView subtract) {
  using enum ir::ElementType;
  const ir::Value zero_point = subtract.b();
  const ir::Value small = ir::ConvertView(*zero_point.node).data();
  const auto sizes = small.shape().sizes();
  const auto values = ir::exact_values(small);
  const ir::Value wide = builder.constant(i8, *sizes, ir::encode_integers(*values, i8));
  const ir::Value widened = ir::convert(builder, wide, zero_point.type());
  return ir::clone_with_input(builder, subtract, ir::SubtractView::Input::b, widened);
}

}  // namespace

Workaround widen_zero_points() {
  return {.stage = Stage::kernels,
          .summary = "Stores 4-bit signed zero points of weights in 8 bits",
          .rows = {row<has_4_bit_zero_point, widen>(Fault::signed_4_bit_zero_points, {ops::Subtract})}};
}

}  // namespace onnx2ir::passes
