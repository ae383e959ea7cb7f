// Replaces MatMul(a * m, b * n) by MatMul(a * (m * n), b) for numbers m and n. PyTorch's exporters multiply
// the queries and the keys of an attention by the square root of the scale. The keys are usually larger, and
// OpenVINO multiplies with transposed keys without a copy only if the Transpose is directly before the
// product.
#include <cmath>

#include "ir/views/linear_algebra.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

struct Scaled {
  ir::Value value;
  double factor = 1;
};

/// `value` as another value of the same shape times a number; null if it is not used once, or no such
/// product.
Scaled scaled(ir::Value value) {
  const ir::Node& node = *value.node;
  if (!node.is(ops::Multiply) || !is_used_once(value)) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto number = ir::exact_number(node.input(i));
    const ir::Value other = node.input(1 - i);
    if (number && other.shape().has_rank() && other.shape() == value.shape()) return {other, *number};
  }
  return {};
}

ir::Value merge(ir::Builder& builder, ir::MatMulView product) {
  if (product.output(0).type != ir::ElementType::f32) return {};
  const Scaled left = scaled(product.a());
  const Scaled right = scaled(product.b());
  if (!left.value || !right.value) return {};
  const auto factor = static_cast<float>(left.factor * right.factor);
  if (!std::isnormal(factor)) return {};
  const ir::Value number = builder.number(factor, ir::ElementType::f32);
  return builder.op(ops::MatMul, {builder.op(ops::Multiply, {left.value, number}), right.value},
                    {{"transpose_a", product.transpose_a()}, {"transpose_b", product.transpose_b()}});
}

}  // namespace

bool merge_factors(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::MatMul}, merge);
}

}  // namespace onnx2ir::passes
