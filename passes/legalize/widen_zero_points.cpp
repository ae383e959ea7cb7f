// Some releases read zero points of type i4 as unsigned. As i8 they are read correctly; there are few, so the
// cost is small.
#include "ir/shape_tools.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

ir::Value widen(ir::Builder& builder, ir::Node& subtract) {
  using enum ir::ElementType;
  const ir::Value numbers = subtract.input(0);
  const ir::Value zero_point = subtract.input(1);
  if (!numbers.node->is(ops::Convert) || !zero_point.node->is(ops::Convert)) return {};
  const ir::Value small = zero_point.node->input(0);
  const ir::ConstantData* data = small.node->constant();
  if (data == nullptr || small.type() != i4 || numbers.node->input(0).node->constant() == nullptr) return {};
  const auto sizes = small.shape().sizes();
  const auto values = ir::decode_integers(i4, data->bytes(), *small.shape().element_count());
  if (!sizes || !values) return {};
  const ir::Value wide = builder.constant(i8, *sizes, ir::encode_integers(*values, i8));
  const ir::Value widened = ir::convert(builder, wide, zero_point.type());
  return builder.op(ops::Subtract, {numbers, widened});
}

}  // namespace

bool widen_zero_points(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Subtract}, widen);
}

}  // namespace onnx2ir::passes
