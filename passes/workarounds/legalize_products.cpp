// Workarounds for products that the CPU plugin computes wrongly or does not compile. With one thread per
// stream, it compiles products with constant weights, one after the other, and the operations around them
// into one kernel. What that kernel does not support, or computes wrongly, is kept apart by a copy that is
// not part of such kernels.
#include <algorithm>

#include "ir/views/linear_algebra.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `node` is a product with constant weights.
bool has_weights(const ir::Node& node) {
  const auto product = ir::match<ir::MatMulView>(node);
  return product && ir::is_computed_from_constants(product->b());
}

/// The same for more than one weight: a product with one weight does not remain a product after another one.
bool has_several_weights(const ir::Node& node) {
  return has_weights(node) && ir::MatMulView(node).b().shape().element_count() != 1;
}

/// Follows `value` back through elementwise operations. Returns the product for which `is_product` holds, or
/// null.
const ir::Node* product_before(ir::Value value, bool (*is_product)(const ir::Node&) = has_several_weights) {
  constexpr int kMostBetween = 32;
  const auto source = [](const ir::Node& node) {
    const ir::Traits& traits = node.op().traits;
    const bool is_passed = traits.broadcasts || traits.keeps_shape || traits.reshapes;
    if (!is_passed || node.inputs().empty() || is_opaque_copy(node)) return ir::Value{};
    return node.inputs().size() == 2 && ir::is_computed_from_constants(node.input(0)) ? node.input(1)
                                                                                      : node.input(0);
  };
  return find_before(*value.node, is_product, source, kMostBetween);
}

/// Fault::consecutive_double_products.
bool multiplies_double_product(ir::MatMulView product) {
  return product.output(0).type == ir::ElementType::f64 && has_several_weights(product.node()) &&
         product_before(product.a()) != nullptr;
}

/// Whether a product with constant weights is computed from `node`.
bool precedes_product(const ir::Node& node) {
  constexpr std::size_t kMostNodes = 64;
  return any_after(node, kMostNodes, [](const ir::Use& use) {
    return has_weights(*use.node) ? Search::found : Search::follow;
  });
}

/// Fault::consecutive_unit_products.
bool is_unit_product(ir::MatMulView product) {
  const ir::PartialShape& shape = product.output(0).shape;
  return has_weights(product) && !has_several_weights(product) && shape.is_static() && shape.rank() == 2 &&
         product.a().shape().has_rank(2) &&
         (product_before(product.a(), has_weights) != nullptr || precedes_product(product));
}

/// The product of a column and one number, without a MatMul.
ir::Value scale_column(ir::Builder& builder, ir::MatMulView product) {
  const ir::Value column = product.transpose_a()
                               ? builder.op(ops::Transpose, {product.a(), builder.integers({1, 0})})
                               : product.a();
  return builder.op(ops::Multiply, {column, product.b()});
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
  return product_before(ir::MatMulView(*product).a()) != nullptr ||
         std::ranges::any_of(readers_past_moves(convert.node()),
                             [](const ir::Node* reader) { return has_several_weights(*reader); });
}

constexpr std::size_t kRank = 3;

/// Fault::constant_batch_broadcast. The CPU plugin multiplies a value of dynamic shape by constant matrices
/// as if the value had a matrix for each of them, and fails if it has a single one.
bool may_broadcast_matrices(ir::MatMulView product) {
  const ir::PartialShape& left = product.a().shape();
  const ir::Value matrices = product.b();
  const ir::PartialShape& right = matrices.shape();
  if (!left.has_rank() || left.is_static() || left.rank() < 2 || left.rank() > kRank) return false;
  if (!right.has_rank(kRank) || right[0] == ir::Dimension(1)) return false;
  const bool has_equal_batch = left.rank() == kRank && left[0] == right[0];
  return !has_equal_batch && ir::is_computed_from_constants(matrices);
}

/// Gives the constant a fourth axis, of size 1. The plugin then multiplies by it as by a computed value.
ir::Value raise_matrices(ir::Builder& builder, ir::MatMulView product) {
  const ir::Value matrices = ir::unsqueeze(builder, product.b(), {0});
  const ir::Value raised = ir::clone_with_input(builder, product, ir::MatMulView::Input::b, matrices);
  return ir::squeeze(builder, raised, {0});
}

}  // namespace

Workaround legalize_products() {
  return {
      .stage = Stage::kernels,
      .summary =
          "Adds an axis to matrices that are broadcast, and keeps products out of the kernel of consecutive "
          "products if it cannot compute them",
      .rows = {row<multiplies_double_product, separate_from_input>(Fault::consecutive_double_products,
                                                                   {ops::MatMul}),
               row<is_unit_product, scale_column>(Fault::consecutive_unit_products, {ops::MatMul}),
               row<may_broadcast_matrices, raise_matrices>(Fault::constant_batch_broadcast, {ops::MatMul}),
               row<converts_product, separate_from_input>(Fault::conversion_after_products, {ops::Convert})}};
}

}  // namespace onnx2ir::passes
