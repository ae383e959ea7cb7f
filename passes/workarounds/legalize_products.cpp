// Workarounds for products that the CPU plugin computes wrongly or does not compile.
#include <algorithm>
#include <optional>

#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

// The CPU plugin adds constants to an f64 product in one operation with the product. If two constants are
// added one after the other and one of them is computed, the sum lacks a constant
// (Fault::dropped_double_constant). If both are stored, releases that cannot add f64 constants do not compile
// (Fault::double_constant_sums). Here the constants are added to each other first.

/// A value plus or minus one that is computed from constants; the operand is null if a node is something
/// else.
ConstantStep shifted(const ir::Node& node) {
  const bool is_shifted =
      node.is(ops::Add) || (node.is(ops::Subtract) && ir::is_computed_from_constants(node.input(1)));
  return is_shifted ? constant_step(node) : ConstantStep{};
}

/// A sum of f64 and the one in it, which nothing else reads.
struct TwoSums {
  ConstantStep first;
  ConstantStep last;
};

std::optional<TwoSums> two_sums(const ir::Node& outer) {
  if (outer.output(0).type != ir::ElementType::f64) return std::nullopt;
  const ConstantStep last = shifted(outer);
  if (!last.operand || !is_used_once(last.operand)) return std::nullopt;
  const ConstantStep first = shifted(*last.operand.node);
  if (!first.operand) return std::nullopt;
  return TwoSums{first, last};
}

bool are_stored(const TwoSums& sums) {
  return sums.first.constant.node->is(ops::Const) && sums.last.constant.node->is(ops::Const);
}

bool drops_constant(const ir::Node& outer) {
  const auto sums = two_sums(outer);
  return sums && sums->first.operand.node->is(ops::MatMul) && !are_stored(*sums);
}

bool adds_stored_constants(const ir::Node& outer) {
  const auto sums = two_sums(outer);
  return sums && are_stored(*sums);
}

/// (product ± a) ± b as product ± (a ± b).
ir::Value combine(ir::Builder& builder, const ir::Node& outer) {
  const auto [first, last] = *two_sums(outer);
  const ir::Op inner_op = last.operand.node->is(ops::Add) ? ops::Add : ops::Subtract;
  const ir::Op op = outer.is(inner_op) ? ops::Add : ops::Subtract;
  return builder.op(inner_op, {first.operand, builder.op(op, {first.constant, last.constant})});
}

// The CPU plugin fuses operations with a constant per column, such as a bias, into the product before them.
// If the number of columns is dynamic, the product does not compile with a transposed or quantised operand. A
// product of at most two rows and columns ignores the fused operations if their number is dynamic or an
// activation comes first. Of two constants that are added before and after a conversion, the first one is
// lost. Here a copy of the product, which is not fused, keeps the two apart.

constexpr std::int64_t kSmall = 2;
constexpr int kMostFused = 32;

/// The sizes of a product: [rows, inner] times [inner, columns].
struct ProductSizes {
  ir::Dimension rows = 1;
  ir::Dimension inner = 1;
  ir::Dimension columns = 1;
};

std::optional<ProductSizes> sizes_of(ir::MatMulView product) {
  const ir::PartialShape& left = product.a().shape();
  const ir::PartialShape& right = product.b().shape();
  if (!left.has_rank() || !right.has_rank() || left.rank() < 2 || right.rank() < 2) return std::nullopt;
  const auto from_end = [](const ir::PartialShape& shape, std::size_t place) {
    return shape[shape.rank() - place];
  };
  return ProductSizes{.rows = from_end(left, product.transpose_a() ? 1 : 2),
                      .inner = from_end(left, product.transpose_a() ? 2 : 1),
                      .columns = from_end(right, product.transpose_b() ? 2 : 1)};
}

/// Whether an operand is transposed, or OpenVINO may move a Transpose into the product.
bool is_transposed(ir::MatMulView product) {
  return product.transpose_a() || product.transpose_b() || product.a().node->is(ops::Transpose) ||
         product.b().node->is(ops::Transpose);
}

/// Whether OpenVINO may compute the product with integers.
bool is_quantized(ir::MatMulView product) {
  return product.a().node->is(ops::FakeQuantize) || product.b().node->is(ops::FakeQuantize);
}

/// Whether OpenVINO makes a product with a constant of ones of the operation.
bool repeats(const ir::Node& node) {
  const auto broadcast = ir::match<ir::BroadcastView>(node);
  return broadcast && broadcast->mode() == "bidirectional" && ir::exact_values(broadcast->shape());
}

/// The number of elements of the constant vector that `node` reads; 0 if it reads none.
std::int64_t column_constants(const ir::Node& node) {
  if (repeats(node)) {
    const auto sizes = ir::exact_values(ir::BroadcastView(node).shape());
    return sizes->empty() || sizes->back() < 2 ? 0 : sizes->back();
  }
  for (const ir::Value input : node.inputs()) {
    const auto count = input.shape().element_count();
    if (count.value_or(0) > 1 && ir::is_computed_from_constants(input)) return *count;
  }
  return 0;
}

/// Whether an operation with a constant for each column, whose number is `columns` unless that is 0, is fused
/// into `product`.
bool precedes_column_constant(const ir::Node& product, std::int64_t columns) {
  const auto reader_of = [](const ir::Node& node) -> const ir::Node* {
    const ir::Node* const only = only_reader(node);
    return only != nullptr && repeats(*only) ? only : fused_reader(node);
  };
  const ir::Node* reader = reader_of(product);
  for (int count = 0; count < kMostFused && reader != nullptr; ++count) {
    const std::int64_t found = column_constants(*reader);
    if (found > 0 && (columns == 0 || found == columns)) return true;
    reader = reader_of(*reader);
  }
  return false;
}

/// Tested first, because every product is examined.
bool has_dynamic_columns(const ir::Node& product) {
  const ir::PartialShape& shape = product.output(0).shape;
  return !shape.has_rank() || shape.rank() == 0 || shape[shape.rank() - 1].is_dynamic();
}

/// Fault::dynamic_column_constants.
bool does_not_compile(const ir::Node& product) {
  if (!has_dynamic_columns(product)) return false;
  const auto sizes = sizes_of(product);
  return sizes && sizes->columns.is_dynamic() && (is_transposed(product) || is_quantized(product)) &&
         precedes_column_constant(product, 0);
}

/// Whether the first operation that is fused is an activation: a constant that comes first becomes a bias.
bool precedes_activation(const ir::Node& product) {
  const ir::Node* const reader = fused_reader(product);
  return reader != nullptr && reader->inputs().size() == 1;
}

/// Fault::small_product_constants. Constant weights with two columns are right.
bool is_small(ir::MatMulView product) {
  const ir::PartialShape& shape = product.output(0).shape;
  if (shape.has_rank() && shape.rank() > 0 && !shape[shape.rank() - 1].admits(kSmall)) return false;
  const auto sizes = sizes_of(product);
  if (!sizes || sizes->rows.min > kSmall || sizes->inner.min > kSmall || !sizes->columns.admits(kSmall))
    return false;
  const bool may_lose = sizes->columns.is_dynamic() ||
                        (!ir::is_computed_from_constants(product.b()) && precedes_activation(product));
  return may_lose && precedes_column_constant(product, kSmall);
}

/// Whether `sum` adds a constant for each column, whose number is `columns`, to a value.
bool adds_to_columns(const ir::Node& sum, const ir::Dimension& columns) {
  const ir::Value constant = sum.is_one_of(kSums) ? constant_operand(sum) : ir::Value{};
  if (!constant || !constant.shape().is_static()) return false;
  return columns == constant.shape().element_count().value_or(0);
}

/// Whether `value` is a product with constant weights plus a constant for each column, possibly with other
/// arithmetic with constants.
bool is_product_with_bias(ir::Value value, const ir::Dimension& columns) {
  bool has_bias = false;
  for (int count = 0; count < kMostFused && is_used_once(value); ++count) {
    const ir::Node& node = *value.node;
    if (const auto product = ir::match<ir::MatMulView>(node))
      return has_bias && ir::is_computed_from_constants(product->b());
    has_bias = has_bias || adds_to_columns(node, columns);
    const bool is_fused = node.is(ops::Convert) || node.op().traits.is_arithmetic;
    const ir::Value data = is_fused ? variable_operand(node) : ir::Value{};
    if (!data) return false;
    value = data;
  }
  return false;
}

/// Fault::converted_bias.
bool precedes_second_bias(ir::ConvertView convert) {
  const ir::Output& result = convert.output(0);
  if (!ir::is_floating(result.type) || !ir::is_floating(convert.data().type())) return false;
  if (!result.shape.has_rank() || result.shape.rank() < 2) return false;
  const ir::Dimension& columns = result.shape[result.shape.rank() - 1];
  for (const ir::Node* reader : chain_after(convert)) {
    if (adds_to_columns(*reader, columns)) return is_product_with_bias(convert.data(), columns);
    if (!reader->is_one_of({ops::Add, ops::Convert, ops::Subtract})) return false;
  }
  return false;
}

// With one thread per stream, the CPU plugin compiles products with constant weights, one after the other,
// and the operations around them into one kernel. What that kernel does not support, or computes wrongly, is
// kept apart by a copy that is not part of such kernels.

/// Whether `node` is a product with constant weights.
bool has_weights(const ir::Node& node) {
  const auto product = ir::match<ir::MatMulView>(node);
  return product && ir::is_computed_from_constants(product->b());
}

/// The same for more than one weight: a product with one weight does not remain a product after another one.
bool has_several_weights(const ir::Node& node) {
  return has_weights(node) && ir::MatMulView(node).b().shape().element_count() != 1;
}

/// A product for which `is_product` holds, from which elementwise operations compute `value`, or null.
const ir::Node* product_before(ir::Value value, bool (*is_product)(const ir::Node&) = has_several_weights) {
  constexpr std::size_t kMostBetween = 32;
  const ir::Node* product = nullptr;
  any_before(value, kMostBetween, [&](const ir::Node& node) {
    if (is_product(node)) {
      product = &node;
      return Search::found;
    }
    const ir::Traits& traits = node.op().traits;
    // OpenVINO decomposes a BatchNormInference into elementwise operations.
    const bool is_passed =
        traits.broadcasts || traits.keeps_shape || traits.reshapes || node.is(ops::BatchNormInference);
    return is_passed && !is_opaque_copy(node) ? Search::follow : Search::skip;
  });
  return product;
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
  return {.summary =
              "Keeps products apart from operations that the CPU plugin would fuse into them wrongly, adds "
              "an axis to matrices that are broadcast, and combines f64 constants that are added to data",
          .stages = {
              {Stage::operations,
               {row<adds_stored_constants, combine>(Fault::double_constant_sums, kSums),
                row<drops_constant, combine>(Fault::dropped_double_constant, kSums)}},
              {Stage::kernels,
               {row<multiplies_double_product, separate_from_input>(Fault::consecutive_double_products,
                                                                    {ops::MatMul}),
                row<is_unit_product, scale_column>(Fault::consecutive_unit_products, {ops::MatMul}),
                row<may_broadcast_matrices, raise_matrices>(Fault::constant_batch_broadcast, {ops::MatMul}),
                row<converts_product, separate_from_input>(Fault::conversion_after_products, {ops::Convert}),
                row<precedes_second_bias, separate_from_input>(Fault::converted_bias, {ops::Convert}),
                row<does_not_compile, separate_from_uses>(Fault::dynamic_column_constants, {ops::MatMul}),
                row<is_small, separate_from_uses>(Fault::small_product_constants, {ops::MatMul})}}}};
}

}  // namespace onnx2ir::passes
