// By default, the CPU plugin rounds the input that is multiplied with quantised weights to 8 bits if the CPU
// has VNNI: docs/quantised-models.md. If a model has products whose inputs must not be rounded, the model
// gets a runtime option that turns the rounding off. Otherwise the option has the largest groups of inputs
// with one scale that are accurate enough: they are faster than the plugin's default of 32. A program that
// sets the property when it compiles the model overrides it.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "ir/views/elementwise.hpp"
#include "ir/views/linear_algebra.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::int64_t kSmallestBlock = 16;
constexpr std::int64_t kDefaultGroup = 32;  // of the plugin

/// Whether `node` is the Multiply of an ONNX DequantizeLinear.
bool dequantizes(const ir::Node& node) {
  const auto multiply = ir::match<ir::MultiplyView>(node);
  return multiply && multiply->dequantizes().value_or(false);
}

bool is_dequantized(ir::Value value) {
  while (value.node->is(ops::Convert) || value.node->is(ops::Reshape)) value = value.node->input(0);
  return dequantizes(*value.node);
}

/// Whether weights [inputs, outputs] have one scale, one per output, or one per output and block of inputs.
bool has_scales_of_outputs(const WeightsOfProduct& found) {
  const auto data = found.weights.data.shape().sizes();
  if (!data || found.is_transposed) return false;
  if (found.reshape != nullptr) {
    const std::int64_t block = data->size() == 3 ? (*data)[1] : 0;
    return block >= kSmallestBlock && std::has_single_bit(static_cast<std::uint64_t>(block));
  }
  const ir::PartialShape& scales = found.weights.scale.shape();
  return data->size() == 2 && (scales.rank() < 2 || scales[0] == ir::Dimension(1));
}

/// Whether weights in blocks have blocks of inputs that are as large as the smallest group.
bool has_large_blocks(const WeightsOfProduct& found) {
  const auto data = found.weights.data.shape().sizes();
  if (found.reshape == nullptr) return true;
  return data && data->size() == 3 && (*data)[axis_of_inputs(found)] >= kSmallestBlock;
}

/// Whether the left input may be rounded: onnxruntime rounds it, too, or the weights have so few bits that
/// their error is much larger.
bool may_round_input(ir::MatMulView mat_mul, const WeightsOfProduct& found, const PassContext& context) {
  if (mat_mul.may_round_input().value_or(false)) return true;
  const ir::Value weights = mat_mul.b();
  if (context.options->quantization == Quantization::fast && ir::info(found.weights.data.type()).bits < 8 &&
      has_large_blocks(found) && !is_dequantized(mat_mul.a()))
    return true;
  return dequantizes(*found.weights.product) && !is_dequantized(mat_mul.a()) && is_used_once(weights) &&
         has_scales_of_outputs(found);
}

/// Whether the inputs do not fill the last group, and the weights have less than 8 bits.
bool has_partial_group(const WeightsOfProduct& found) {
  const auto data = found.weights.data.shape().sizes();
  if (!data || data->size() < 2 || ir::info(found.weights.data.type()).bits >= 8) return false;
  const std::size_t last = axis_of_inputs(found);
  // The axis before that of a block counts the blocks.
  const std::int64_t blocks = found.reshape != nullptr && last > 0 ? (*data)[last - 1] : 1;
  return blocks * (*data)[last] % kDefaultGroup != 0;
}

bool must_be_exact(ir::MatMulView mat_mul, const WeightsOfProduct& found, const PassContext& context) {
  if (context.has(Fault::partial_rounding_groups) && has_partial_group(found)) return true;
  const DynamicQuantization rounding = context.options->dynamic_quantization;
  return rounding == DynamicQuantization::never ||
         (rounding == DynamicQuantization::automatic && !may_round_input(mat_mul, found, context));
}

/// Whether all numbers have the same sign, or nearly so.
bool is_one_sided(ir::Value value) {
  constexpr ir::OperationSet kOneSided = {ops::ReLU,  ops::Sigmoid, ops::SoftMax, ops::Gelu,
                                          ops::Swish, ops::HSwish,  ops::Clamp,   ops::HardSigmoid};
  constexpr ir::OperationSet kMoves = {ops::MaxPool, ops::Gather, ops::Slice};
  while (value.node->op().traits.rearranges || value.node->is_one_of(kMoves)) value = value.node->input(0);
  return value.node->is_one_of(kOneSided);
}

/// Whether `value` has so many rows that one scale for all of them is much larger than that of most rows.
bool has_many_rows(ir::Value value) {
  constexpr std::int64_t kMany = 64;
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < value.shape().rank() && rows < kMany; ++axis)
    rows *= std::min(value.shape()[axis].min, kMany);
  return rows >= kMany;
}

/// The products of a model whose inputs may be rounded.
struct Products {
  std::int64_t all = 0;
  std::int64_t one_sided = 0;      ///< with inputs of one sign
  std::int64_t one_sided_row = 0;  ///< of these, those that may have a few rows only
  std::int64_t largest_group = std::numeric_limits<std::int64_t>::max();
};

/// In groups of 256, rounding has the error of onnxruntime's 256 steps for all inputs. The plugin uses half
/// of the steps for inputs of one sign; groups of 128 make up for it if there are many rows, groups of 32
/// for a single row. Other products round more precisely than onnxruntime in groups of 128.
std::int64_t most_accurate_group(const Products& products) {
  if (products.one_sided == 0) return 256;
  return 2 * products.one_sided_row < products.all ? 128 : kDefaultGroup;
}

/// The largest groups in which the inputs of `found` may be rounded, a power of two. Releases before 2026.1
/// fail if a group is larger than the inputs; with weights of less than 8 bits, 2024.6 requires full groups.
std::int64_t largest_group(const WeightsOfProduct& found) {
  const auto sizes = found.weights.data.shape().sizes();
  if (!sizes || sizes->size() < 2) return 0;
  const auto inputs = static_cast<std::uint64_t>((*sizes)[axis_of_inputs(found)]);
  const bool needs_full_groups = ir::info(found.weights.data.type()).bits < 8;
  const std::uint64_t most =
      needs_full_groups && inputs > 0 ? inputs & (~inputs + 1) : std::bit_floor(inputs);
  return static_cast<std::int64_t>(most);
}

void add(Products& products, const WeightsOfProduct& found, ir::Value input) {
  const bool one_sided = is_one_sided(input);
  ++products.all;
  products.one_sided += one_sided ? 1 : 0;
  products.one_sided_row += one_sided && !has_many_rows(input) ? 1 : 0;
  products.largest_group = std::min(products.largest_group, largest_group(found));
}

/// The value of the option; no value for the plugin's default.
std::optional<std::int64_t> rounding_groups(ir::Model& model, const PassContext& context) {
  Products products;
  for (const ir::Node* node : nodes_of(model, {ops::MatMul})) {
    const auto found = weights_of(*node);
    if (!found) continue;
    if (must_be_exact(*node, *found, context)) return 0;
    add(products, *found, node->input(0));
  }
  const std::int64_t size = std::min(products.largest_group, most_accurate_group(products));
  const bool is_chosen =
      products.all > 0 && context.options->quantization == Quantization::fast && size > kDefaultGroup;
  return is_chosen ? std::optional(size) : std::nullopt;
}

}  // namespace

bool disable_dynamic_quantization(ir::Model& model, PassContext& context) {
  constexpr std::string_view kOption = "DYNAMIC_QUANTIZATION_GROUP_SIZE";
  const bool is_set =
      std::ranges::any_of(model.runtime_options, [&](const auto& option) { return option.first == kOption; });
  const auto groups = is_set ? std::nullopt : rounding_groups(model, context);
  if (groups) model.runtime_options.emplace_back(kOption, std::to_string(*groups));
  return false;
}

}  // namespace onnx2ir::passes
