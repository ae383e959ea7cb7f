// With one thread per stream, the CPU plugin compiles products with constant weights, one after the other,
// and the operations around them into one kernel. What that kernel does not support, or computes wrongly, is
// kept apart by a copy that is not part of such kernels.
#include <algorithm>

#include "ir/graph.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr int kMostBetween = 32;

bool has_weights(const ir::Node& node) {
  const auto product = ir::match<ir::MatMulView>(node);
  return product && ir::is_computed_from_constants(product->b());
}

/// The product with constant weights that `value` is computed from by elementwise operations; null if there
/// is none.
const ir::Node* product_before(ir::Value value) {
  for (int count = 0; count < kMostBetween; ++count) {
    const ir::Node& node = *value.node;
    if (has_weights(node)) return &node;
    const ir::Traits& traits = node.op().traits;
    if (node.inputs().empty() || is_opaque_copy(node)) return nullptr;
    if (!traits.broadcasts && !traits.keeps_shape && !traits.reshapes) return nullptr;
    value = node.inputs().size() == 2 && ir::is_computed_from_constants(node.input(0)) ? node.input(1)
                                                                                       : node.input(0);
  }
  return nullptr;
}

/// Fault::consecutive_double_products.
bool multiplies_double_product(ir::MatMulView product) {
  return product.output(0).type == ir::ElementType::f64 && has_weights(product.node()) &&
         product_before(product.a()) != nullptr;
}

/// Fault::consecutive_unit_products.
bool precedes_unit_product(const ir::Node& node) {
  const ir::Node* const next = reader_after(node, chain_after(node));
  const auto product = next != nullptr ? ir::match<ir::MatMulView>(*next) : std::nullopt;
  return product && ir::is_computed_from_constants(product->b()) && product->b().shape().element_count() == 1;
}

/// Whether the kernel rounds a conversion of floating-point numbers to `type`, or does not support it.
bool is_misconverted(ir::ElementType type) {
  constexpr int kBits = 8;
  if (type == ir::ElementType::f64 || type == ir::ElementType::boolean) return true;
  return ir::is_integral(type) && ir::info(type).bits > kBits;
}

/// Fault::conversion_after_products.
bool converts_product(ir::ConvertView convert) {
  const ir::PartialShape& shape = convert.output(0).shape;
  if (!shape.is_static() || shape.rank() != 2) return false;
  if (!ir::is_floating(convert.data().type()) || !is_misconverted(convert.output(0).type)) return false;
  const ir::Node* const product = product_before(convert.data());
  if (product == nullptr) return false;
  return product_before(product->input(0)) != nullptr ||
         std::ranges::any_of(readers_past_moves(convert.node()),
                             [](const ir::Node* reader) { return has_weights(*reader); });
}

}  // namespace

Workaround separate_consecutive_products() {
  return {.name = "separate_consecutive_products",
          .stage = Stage::kernels,
          .summary = "Keeps from the CPU plugin's kernel of consecutive products what it cannot compute",
          .rows = {LegalizationRow{Fault::consecutive_double_products,
                                   {ops::MatMul},
                                   affects<multiplies_double_product>,
                                   separate_from_input},
                   LegalizationRow{Fault::consecutive_unit_products,
                                   {ops::MatMul},
                                   must_be_separated<precedes_unit_product>,
                                   separate_from_uses},
                   LegalizationRow{Fault::conversion_after_products,
                                   {ops::Convert},
                                   affects<converts_product>,
                                   separate_from_input}}};
}

}  // namespace onnx2ir::passes
