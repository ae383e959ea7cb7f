// The CPU plugin rounds the inputs of products with quantised weights to 8 bits, with one scale for each
// group of inputs. Chooses the largest group size that is accurate enough: larger groups are faster than the
// default of 32.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "ir/views/linear_algebra.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

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
  return 2 * products.one_sided_row < products.all ? 128 : kDefaultRoundingGroup;
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

}  // namespace

bool choose_rounding_groups(ir::Model& model, PassContext& context) {
  if (context.options->quantization != Quantization::fast || sets_rounding_groups(model)) return false;
  Products products;
  for (const ir::Node* node : nodes_of(model, {ops::MatMul})) {
    const auto found = weights_of(*node);
    if (!found) continue;
    const bool one_sided = is_one_sided(node->input(0));
    ++products.all;
    products.one_sided += one_sided ? 1 : 0;
    products.one_sided_row += one_sided && !has_many_rows(node->input(0)) ? 1 : 0;
    products.largest_group = std::min(products.largest_group, largest_group(*found));
  }
  const std::int64_t size = std::min(products.largest_group, most_accurate_group(products));
  if (products.all > 0 && size > kDefaultRoundingGroup) set_rounding_groups(model, size);
  return false;
}

}  // namespace onnx2ir::passes
