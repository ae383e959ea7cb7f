// Some releases read zero points of type i4 as unsigned. As i8 they are read correctly; there are few, so the
// cost is small.
#include "ir/shape_tools.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

bool has_4_bit_zero_point(const ir::Node& subtract) {
  const ir::Node& numbers = *subtract.input(0).node;
  const ir::Node& zero_point = *subtract.input(1).node;
  if (!numbers.is(ops::Convert) || !zero_point.is(ops::Convert)) return false;
  const ir::Value small = zero_point.input(0);
  return small.node->constant() != nullptr && small.type() == ir::ElementType::i4 &&
         numbers.input(0).node->constant() != nullptr;
}

ir::Value widen(ir::Builder& builder, const ir::Node& subtract) {
  using enum ir::ElementType;
  const ir::Value numbers = subtract.input(0);
  const ir::Value zero_point = subtract.input(1);
  const ir::Value small = zero_point.node->input(0);
  const auto sizes = small.shape().sizes();
  const auto values =
      ir::decode_integers(i4, small.node->constant()->bytes(), *small.shape().element_count());
  const ir::Value wide = builder.constant(i8, *sizes, ir::encode_integers(*values, i8));
  const ir::Value widened = ir::convert(builder, wide, zero_point.type());
  return builder.op(ops::Subtract, {numbers, widened});
}

}  // namespace

Workaround widen_zero_points() {
  return {.name = "widen_zero_points",
          .stage = Stage::kernels,
          .summary = "Stores 4-bit signed zero points of weights in 8 bits",
          .rows = {LegalizationRow{
              Fault::signed_4_bit_zero_points, {ops::Subtract}, has_4_bit_zero_point, replace<widen>}}};
}

}  // namespace onnx2ir::passes
