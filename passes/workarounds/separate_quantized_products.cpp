// Workarounds for wrong fusions of products and convolutions of quantised numbers with the operations after
// them. An opaque copy of the result separates the operations of a row from those that read them.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ir/shape_tools.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/quantization.hpp"
#include "ir/views/spatial.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/fake_quantize.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

constexpr int kMostMoves = 8;

/// The last of the constant factors, or Negatives, that are the only readers one after the other; `node` if
/// there are none.
const ir::Node& last_factor_after(const ir::Node& node) {
  const ir::Node* last = &node;
  for (int count = 0; count < kMostMoves; ++count) {
    const ir::Node* const reader = only_reader(*last);
    if (reader == nullptr || !reader->is_one_of({ops::Multiply, ops::Divide, ops::Negative})) break;
    if (!reader->is(ops::Negative) && !constant_operand(*reader)) break;
    last = reader;
  }
  return *last;
}

/// Whether `weights` are floating-point numbers as they are stored, possibly with fewer bits.
bool are_stored(ir::Value weights) {
  const ir::Node* const stored = source_constant(weights);
  return stored != nullptr && ir::is_floating(stored->output(0).type);
}

/// Fault::shared_quantized_product. OpenVINO multiplies constant factors with the scale of the product.
bool is_shared_quantized_product(const ir::Node& node) {
  return !node.output(0).shape.is_static() && !are_stored(node.input(1)) &&
         (!node.is(ops::MatMul) || is_quantized(node.input(0))) &&
         last_factor_after(node).output(0).uses.size() > 1;
}

/// Whether `node` has a constant along an axis before the last two, those of matrices.
bool has_batch_constant(const ir::Node& node) {
  const std::vector<std::size_t> axes = scaled_axes(node);
  return !axes.empty() && axes.front() + 2 < node.output(0).shape.rank();
}

/// Fault::quantized_row_constants. If all sizes are static, only a constant after another FakeQuantize is
/// read wrongly, or one for each matrix of a product of two variables, which does not compile.
bool precedes_row_constant(ir::MatMulView product) {
  const ir::PartialShape& shape = product.output(0).shape;
  if (!shape.has_rank() || shape.rank() < 2 || !is_quantized(product.a())) return false;
  const std::vector<std::size_t> columns = {shape.rank() - 1};
  bool is_affected = !shape.is_static();
  for (const ir::Node* reader : chain_until_conversion(product)) {
    is_affected = is_affected || reader->is(ops::FakeQuantize);
    const std::vector<std::size_t> axes = scaled_axes(*reader);
    if (has_batch_constant(*reader) && !ir::is_computed_from_constants(product.b())) return true;
    if (is_affected && !axes.empty() && axes != columns) return true;
  }
  return false;
}

/// Fault::batched_product_constants, after the product.
bool precedes_column_constant(ir::MatMulView product) {
  const ir::PartialShape& shape = product.output(0).shape;
  if (!shape.has_rank() || !has_several_matrices(product.b().shape()) || !is_quantized(product.a()))
    return false;
  const std::vector<std::size_t> columns = {shape.rank() - 1};
  return std::ranges::any_of(chain_until_conversion(product),
                             [&](const ir::Node* reader) { return scaled_axes(*reader) == columns; });
}

/// Fault::quantized_vector_product.
bool multiplies_quantized_vector(ir::MatMulView product) {
  if (!product.a().shape().has_rank(1) || !is_quantized(product.a())) return false;
  const auto found = weights_of(product);
  return found && found->weights.scale.shape().element_count() != 1;
}

/// Multiplies the vector as a matrix of one row. OpenVINO must not move the scales behind the Squeeze.
ir::Value multiply_row(ir::Builder& builder, ir::MatMulView product) {
  const ir::Value row = ir::unsqueeze(builder, product.a(), {0});
  const ir::Value rows = ir::clone_with_input(builder, product, ir::MatMulView::Input::a, row);
  const ir::Value apart = copy_opaquely(builder, rows);
  return ir::squeeze(builder, apart, {static_cast<std::int64_t>(rows.shape().rank()) - 2});
}

/// The scales of weights of several matrices, if they differ between columns or matrices. OpenVINO moves them
/// behind the product. A vector first becomes a matrix of one row.
std::optional<ir::Numbers> scales_of_batches(ir::MatMulView product) {
  const bool is_vector = product.a().shape().has_rank(1);
  if (is_vector || !has_several_matrices(product.b().shape()) || !is_quantized(product.a()))
    return std::nullopt;
  const auto found = weights_of(product);
  if (!found || found->reshape != nullptr || found->weights.zero_point) return std::nullopt;
  const ir::Value scale = found->weights.scale;
  if (scale.shape().rank() != found->weights.data.shape().rank() || scale.shape().element_count() == 1 ||
      scale.shape()[axis_of_inputs(*found)] != ir::Dimension(1))
    return std::nullopt;
  return ir::exact_numbers(scale);
}

/// Multiplies the weights by one scale, and the product, kept apart, by the quotients of the scales and it.
ir::Value scale_apart(ir::Builder& builder, ir::MatMulView product) {
  const auto found = *weights_of(product);
  ir::Numbers factors = *scales_of_batches(product);
  double largest = 0;
  for (const double scale : factors) largest = std::max(largest, std::abs(scale));
  if (largest == 0) largest = 1;
  for (double& factor : factors) factor /= largest;
  ir::Integers sizes = *found.weights.scale.shape().sizes();
  if (found.is_transposed) std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  const ir::Value widened = found.weights.widened;
  const ir::Value scaled = builder.op(ops::Multiply, {widened, builder.number(largest, widened.type())});
  const ir::Value result = ir::clone_with_input(builder, product, ir::MatMulView::Input::b, scaled);
  const ir::Value apart = copy_opaquely(builder, result);
  return builder.op(ops::Multiply, {apart, builder.numbers(factors, sizes, result.type())});
}

/// The difference of neighbouring numbers of a value: results of a FakeQuantize, or integers times a
/// constant.
std::optional<double> step_of(ir::Value value) {
  for (int depth = 0; depth < kMostMoves; ++depth) {
    const ir::Node& node = *value.node;
    if (const auto rounded = ir::match<ir::FakeQuantizeView>(node)) {
      const auto grid = grid_of(*rounded);
      return grid ? std::optional(grid->step()) : std::nullopt;
    }
    if (node.is(ops::Multiply)) {
      const ir::Value scale = constant_operand(node);
      return !scale ? std::nullopt : ir::exact_number(scale);
    }
    const ir::Traits& traits = node.op().traits;
    if (!is_elementwise(node) && !traits.reshapes && !traits.rearranges) return std::nullopt;
    value = node.input(0);
  }
  return std::nullopt;
}

/// Fault::quantized_unit_scale.
bool precedes_step_of_product(ir::MatMulView product) {
  constexpr double kRounding = 1e-6;
  const ir::Node* const sum = only_reader(product);
  if (sum == nullptr || !sum->is_one_of(kSums) || scaled_axes(*sum).empty()) return false;
  const ir::Node* const quantization = only_reader(*sum);
  if (quantization == nullptr || !quantization->is(ops::FakeQuantize)) return false;
  const auto weights = weights_of(product);
  const auto scales = weights ? ir::exact_numbers(weights->weights.scale) : std::nullopt;
  const auto step = scales ? step_of(product.a()) : std::nullopt;
  const auto next_grid = step ? grid_of(*quantization) : std::nullopt;
  if (!next_grid) return false;
  const double next_step = next_grid->step();
  return std::ranges::any_of(
      *scales, [&](double scale) { return std::abs(*step * scale - next_step) <= next_step * kRounding; });
}

/// Fault::quantized_group_filters.
bool multiplies_quantized_channels(ir::GroupConvolutionView convolution) {
  return has_filters_of_one_channel(convolution) && is_quantized(convolution.data());
}

/// Whether the value is a Convolution or MatMul of quantised numbers, or comes from one by elementwise
/// operations.
bool follows_quantized_product(ir::Value value) {
  const ir::Node* const product = find_before(*value.node, kIntegerProducts, [](const ir::Node& node) {
    return is_elementwise(node) ? variable_operand(node) : ir::Value{};
  });
  return product != nullptr && is_quantized(product->input(0));
}

/// Fault::quantized_relu_factors. OpenVINO makes a Negative a factor.
bool precedes_negative_factor(const ir::Node& node) {
  return follows_quantized_product(node.input(0)) &&
         std::ranges::any_of(chain_until_conversion(node),
                             [](const ir::Node* reader) { return may_change_signs(*reader); });
}

}  // namespace

Workaround separate_quantized_products() {
  return {
      .summary = "Keeps products of quantised numbers apart from operations that OpenVINO would fuse wrongly",
      .stages = {{Stage::kernels,
                  {separating_row<precedes_column_constant>(Fault::batched_product_constants, {ops::MatMul},
                                                            kIfQuantized),
                   row<scales_of_batches, scale_apart>(Fault::batched_product_constants, {ops::MatMul},
                                                       kIfQuantized),
                   separating_row<multiplies_quantized_channels>(Fault::quantized_group_filters,
                                                                 {ops::GroupConvolution}, kIfQuantized),
                   row<multiplies_quantized_vector, multiply_row>(Fault::quantized_vector_product,
                                                                  {ops::MatMul}, kIfQuantized),
                   separating_row<precedes_negative_factor>(Fault::quantized_relu_factors,
                                                            {ops::ReLU, ops::PReLU}, kIfQuantized),
                   separating_row<precedes_row_constant>(Fault::quantized_row_constants, {ops::MatMul},
                                                         kIfQuantized),
                   separating_row<precedes_step_of_product>(Fault::quantized_unit_scale, {ops::MatMul},
                                                            kIfQuantized),
                   separating_row<is_shared_quantized_product>(Fault::shared_quantized_product,
                                                               kIntegerProducts)}}}};
}

}  // namespace onnx2ir::passes
