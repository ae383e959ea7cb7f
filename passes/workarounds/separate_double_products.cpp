// Workaround for consecutive_double_products: with one thread per stream, the CPU plugin compiles two
// products with constant weights, one after the other, into one kernel, which does not support f64. Here a
// copy of the value between them, which is not part of such kernels, keeps them apart.
#include "ir/graph.hpp"
#include "ir/views/linear_algebra.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

bool has_weights(const ir::Node& node) {
  const auto product = ir::match<ir::MatMulView>(node);
  return product && product->output(0).type == ir::ElementType::f64 &&
         ir::is_computed_from_constants(product->b());
}

/// Whether `value` is computed from a product with constant weights by elementwise operations.
bool follows_product(ir::Value value) {
  constexpr int kMostBetween = 32;
  for (int count = 0; count < kMostBetween; ++count) {
    const ir::Node& node = *value.node;
    if (has_weights(node)) return true;
    const ir::Traits& traits = node.op().traits;
    const bool reads_twice = node.inputs().size() == 2 && node.input(0) == node.input(1);
    if (node.inputs().empty() || reads_twice) return false;
    if (!traits.broadcasts && !traits.keeps_shape && !traits.reshapes) return false;
    value = node.inputs().size() == 2 && ir::is_computed_from_constants(node.input(0)) ? node.input(1)
                                                                                       : node.input(0);
  }
  return false;
}

bool is_affected(ir::MatMulView product) {
  return has_weights(product) && follows_product(product.a());
}

void separate(ir::Builder& builder, ir::Node& node) {
  node.set_input(ir::MatMulView::Input::a, opaque_copy(builder, ir::MatMulView(node).a()));
}

}  // namespace

Workaround separate_double_products() {
  return {.name = "separate_double_products",
          .stage = Stage::kernels,
          .summary = "Keeps the CPU plugin from compiling consecutive products of f64 into one kernel",
          .rows = {LegalizationRow{
              Fault::consecutive_double_products, {ops::MatMul}, affects<is_affected>, separate}}};
}

}  // namespace onnx2ir::passes
