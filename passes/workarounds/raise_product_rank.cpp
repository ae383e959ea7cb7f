// Workaround for constant_batch_broadcast: the CPU plugin multiplies a value of dynamic shape by constant
// matrices as if the value had a matrix for each of them, and fails if it has a single one. Here the constant
// gets a fourth axis, of size 1. The plugin then multiplies by it as by a computed value.
#include "ir/views/linear_algebra.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::size_t kRank = 3;

bool is_affected(ir::MatMulView product) {
  const ir::PartialShape& left = product.a().shape();
  const ir::Value matrices = product.b();
  const ir::PartialShape& right = matrices.shape();
  if (!left.has_rank() || left.is_static() || left.rank() < 2 || left.rank() > kRank) return false;
  if (!right.has_rank(kRank) || right[0] == ir::Dimension(1)) return false;
  const bool has_equal_batch = left.rank() == kRank && left[0] == right[0];
  // Quantised matrices stay compressed; a single matrix is an error in the plugin then.
  return !has_equal_batch && ir::is_computed_from_constants(matrices) && !weights_of(product);
}

ir::Value raise(ir::Builder& builder, ir::MatMulView product) {
  const ir::Value matrices = ir::unsqueeze(builder, product.b(), {0});
  const ir::Value raised = ir::clone_with_input(builder, product, ir::MatMulView::Input::b, matrices);
  return ir::squeeze(builder, raised, {0});
}

}  // namespace

Workaround raise_product_rank() {
  return {.stage = Stage::kernels,
          .summary =
              "Adds an axis to constant matrices that may be multiplied by a single matrix of dynamic shape",
          .rows = {row<is_affected, raise>(Fault::constant_batch_broadcast, {ops::MatMul})}};
}

}  // namespace onnx2ir::passes
