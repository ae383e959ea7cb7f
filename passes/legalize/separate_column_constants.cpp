// Workarounds for small_product_constants and dynamic_column_constants. The CPU plugin fuses operations with
// a constant per column, such as a bias, into the product before them. If the number of columns is dynamic,
// the product does not compile with a transposed or quantised operand, and a product of at most two rows and
// columns does not compute what was fused. Here a copy of the product, which is not fused, keeps the two
// apart.
#include <algorithm>
#include <optional>

#include "passes/constant_values.hpp"
#include "passes/fused_reader.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"
#include "passes/run_time_values.hpp"
#include "target/faults.hpp"

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

std::optional<ProductSizes> sizes_of(const ir::Node& product) {
  const ir::PartialShape& left = product.input(0).shape();
  const ir::PartialShape& right = product.input(1).shape();
  if (!left.has_rank() || !right.has_rank() || left.rank() < 2 || right.rank() < 2) return std::nullopt;
  const auto from_end = [](const ir::PartialShape& shape, std::size_t place) {
    return shape[shape.rank() - place];
  };
  return ProductSizes{.rows = from_end(left, product.boolean("transpose_a") ? 1 : 2),
                      .inner = from_end(left, product.boolean("transpose_a") ? 2 : 1),
                      .columns = from_end(right, product.boolean("transpose_b") ? 2 : 1)};
}

/// Whether an operand is transposed, or OpenVINO may move a Transpose into the product.
bool is_transposed(const ir::Node& product) {
  return product.boolean("transpose_a") || product.boolean("transpose_b") ||
         product.input(0).node->is(ops::Transpose) || product.input(1).node->is(ops::Transpose);
}

/// Whether OpenVINO may compute the product with integers.
bool is_quantized(const ir::Node& product) {
  return product.input(0).node->is(ops::FakeQuantize) || product.input(1).node->is(ops::FakeQuantize);
}

/// The number of elements of the constant vector that `node` reads; 0 if it reads none.
std::int64_t column_constants(const ir::Node& node) {
  for (const ir::Value input : node.inputs()) {
    const auto count = input.shape().element_count();
    if (count.value_or(0) > 1 && is_folded(input)) return *count;
  }
  return 0;
}

/// Whether a fused operation makes the product fail.
bool is_affected(ir::Node& product, const PassContext& context) {
  const auto sizes = sizes_of(product);
  if (!sizes || sizes->columns.is_static()) return false;
  const bool is_small = context.has(Fault::small_product_constants) && sizes->rows.min <= kSmall &&
                        sizes->inner.min <= kSmall && sizes->columns.admits(kSmall);
  const bool does_not_compile =
      context.has(Fault::dynamic_column_constants) && (is_transposed(product) || is_quantized(product));
  ir::Value value = product.value();
  for (int count = 0; count < kMostFused; ++count) {
    ir::Node* const reader = fused_reader(value);
    if (reader == nullptr) return false;
    const std::int64_t columns = column_constants(*reader);
    if ((does_not_compile && columns > 0) || (is_small && columns == kSmall)) return true;
    value = reader->value();
  }
  return false;
}

}  // namespace

bool separate_column_constants(ir::Model& model, PassContext& context) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    if (!graph->may_hold({ops::MatMul})) continue;
    ir::Builder builder(*graph);
    const std::size_t count = graph->nodes().size();
    for (std::size_t i = 0; i < count; ++i) {
      ir::Node& node = *graph->nodes()[i];
      if (!node.is(ops::MatMul) || !is_affected(node, context)) continue;
      builder.set_name(node.name);
      const ir::Value copy = opaque_copy(builder, node.value());
      ir::replace_uses_except(node.value(), copy, *copy.node);
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
