// A CPU without VNNI multiplies u8 by i8 with an instruction that adds pairs of products in 16 bits and
// saturates. A pair of weights whose sum is at most 128 is safe for all inputs: 255 * 128 < 2^15. The kernels
// pair neighbours along the input channels. The runtime model does not show which neighbours form a pair, so
// all of them are checked.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ir/views/groups.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

constexpr int kMostInPair = 128;

/// Integers of 8 bits, and the axis along which their products are added.
struct Weights {
  ir::Value data;
  std::size_t axis;
};

std::optional<Weights> weights_of_convolution(ir::AnyConvolutionView convolution) {
  ir::Value value = convolution.filters();
  if (const auto reshape = ir::match<ir::ReshapeView>(value)) value = reshape->data();
  const auto found = dequantized_weights(value);
  if (!found) return std::nullopt;
  const bool has_groups = found->data.shape().rank() > convolution.data().shape().rank();
  return Weights{found->data, std::size_t{has_groups ? 2U : 1U}};
}

std::optional<Weights> weights_of_matrix(const ir::Node& node) {
  const auto found = weights_of(node);
  if (!found || found->weights.data.shape().rank() < 2) return std::nullopt;
  return Weights{found->weights.data, axis_of_inputs(*found)};
}

/// Whether two neighbours along the axis exceed kMostInPair together, with one sign or the other.
bool has_large_pair(const Weights& weights) {
  const auto sizes = *weights.data.shape().sizes();
  std::size_t inner = 1;
  for (std::size_t i = weights.axis + 1; i < sizes.size(); ++i) inner *= static_cast<std::size_t>(sizes[i]);
  const auto count = static_cast<std::size_t>(sizes[weights.axis]);
  const ir::ConstantBytes kept = weights.data.node->constant()->bytes();
  const std::span<const std::byte> bytes = kept.span();
  const std::size_t row = count * inner;
  if (count < 2 || inner == 0) return false;
  for (std::size_t first = 0; first + row <= bytes.size(); first += row) {
    const auto left = bytes.subspan(first, row - inner);
    const auto right = bytes.subspan(first + inner, row - inner);
    int highest = 0;
    int lowest = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const int a = static_cast<std::int8_t>(left[i]);
      const int b = static_cast<std::int8_t>(right[i]);
      highest = std::max(highest, std::max(a, 0) + std::max(b, 0));
      lowest = std::min(lowest, std::min(a, 0) + std::min(b, 0));
    }
    if (highest > kMostInPair || lowest < -kMostInPair) return true;
  }
  return false;
}

/// Whether products of integers in `node` may exceed 16 bits; no value if it does not multiply integers.
std::optional<bool> may_saturate(const ir::Node& node) {
  if (!is_quantized(node.input(0))) return std::nullopt;
  const auto weights = node.is(ops::MatMul) ? weights_of_matrix(node) : weights_of_convolution(node);
  if (!weights) return is_quantized(node.input(1)) ? std::optional(true) : std::nullopt;
  if (weights->data.type() != ir::ElementType::i8 || !weights->data.shape().is_static()) return std::nullopt;
  return has_large_pair(*weights);
}

}  // namespace

bool warn_about_saturation(ir::Model& model, PassContext& context) {
  if (!model.graph.model_may_hold({ops::FakeQuantize})) return false;
  std::size_t all = 0;
  std::vector<std::string> notes;
  for (const ir::Node* node : nodes_of(model, kIntegerProducts)) {
    const auto found = may_saturate(*node);
    all += found ? 1 : 0;
    if (found.value_or(false)) notes.push_back(fmt::format("{} '{}'", node->op().name, node->name));
  }
  context.warn(
      {DiagnosticCode::may_saturate,
       fmt::format("{} of {} products of integers may saturate on CPUs without VNNI", notes.size(), all),
       "if the model runs on such CPUs, quantise the weights to seven bits (reduce_range), or convert with "
       "--quantization exact"},
      notes);
  return false;
}

}  // namespace onnx2ir::passes
