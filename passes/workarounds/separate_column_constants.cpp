// Workarounds for small_product_constants, dynamic_column_constants and converted_bias. The CPU plugin fuses
// operations with a constant per column, such as a bias, into the product before them. If the number of
// columns is dynamic, the product does not compile with a transposed or quantised operand. A product of at
// most two rows and columns ignores the fused operations if their number is dynamic or an activation comes
// first. Of two constants that are added before and after a conversion, the first one is lost. Here a copy of
// the product, which is not fused, keeps the two apart.
#include <optional>

#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

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

}  // namespace

Workaround separate_column_constants() {
  return {
      .stage = Stage::kernels,
      .summary =
          "Keeps operations with a constant per column from being fused into products that lose constants "
          "or have dynamic sizes",
      .rows = {row<precedes_second_bias, separate_from_input>(Fault::converted_bias, {ops::Convert}),
               row<does_not_compile, separate_from_uses>(Fault::dynamic_column_constants, {ops::MatMul}),
               row<is_small, separate_from_uses>(Fault::small_product_constants, {ops::MatMul})}};
}

}  // namespace onnx2ir::passes
