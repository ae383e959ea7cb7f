#include <algorithm>
#include <map>
#include <string>

#include "ir/einsum_equation.hpp"
#include "ir/statistics/statistics.hpp"
#include "ir/views/attention.hpp"
#include "ir/views/linear_algebra.hpp"

namespace onnx2ir::ir {
namespace {

using Count = std::optional<std::uint64_t>;

Count product(Count a, Count b) {
  if (!a || !b) return std::nullopt;
  return saturated_product(*a, *b);
}

/// The elements of a shape.
Count elements(const PartialShape& shape) {
  const auto count = shape.element_count();
  return count ? Count(static_cast<std::uint64_t>(*count)) : std::nullopt;
}
Count elements(const Output& output) {
  return elements(output.shape);
}
/// The size of an axis, counted from the end if it is negative.
Count size(const PartialShape& shape, std::int64_t axis) {
  if (!shape.has_rank()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(shape.rank());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank || shape[static_cast<std::size_t>(axis)].is_dynamic()) return std::nullopt;
  return static_cast<std::uint64_t>(shape[static_cast<std::size_t>(axis)].size());
}
/// The product of the sizes from `first` on.
Count product_from(const PartialShape& shape, std::size_t first) {
  if (!shape.has_rank()) return std::nullopt;
  Count result = 1;
  for (std::size_t axis = first; axis < shape.rank(); ++axis)
    result = product(result, size(shape, static_cast<std::int64_t>(axis)));
  return result;
}

std::optional<LayerCost> multiply_adds(Count count) {
  if (!count) return std::nullopt;
  return LayerCost{*count, saturated_product(*count, 2)};
}
std::optional<LayerCost> operations(Count count) {
  if (!count) return std::nullopt;
  return LayerCost{0, *count};
}

/// Each element of the result is a sum over the last axis of the first matrix.
std::optional<LayerCost> mat_mul(MatMulView node) {
  const PartialShape& a = node.a().shape();
  if (!a.has_rank()) return std::nullopt;
  const std::int64_t axis = a.rank() > 1 && node.transpose_a() ? -2 : -1;
  return multiply_adds(product(elements(node.output(0)), size(a, axis)));
}

/// Weights [O, I, ...]: each element of the result is a sum over I and the kernel.
std::optional<LayerCost> convolution(const Node& node, std::size_t weights, std::size_t first_axis) {
  return multiply_adds(
      product(elements(node.output(0)), product_from(node.input(weights).shape(), first_axis)));
}
/// Weights [I, O, ...]: each element of the input is used for O channels and the kernel.
std::optional<LayerCost> transposed_convolution(const Node& node, std::size_t first_axis) {
  return multiply_adds(
      product(elements(node.input(0).shape()), product_from(node.input(1).shape(), first_axis)));
}

/// In each step, a row of the batch is multiplied by both matrices of weights: inputs `weights` and the next.
std::optional<LayerCost> recurrent(const Node& node, std::size_t weights) {
  const PartialShape& x = node.input(0).shape();
  const Count rows = product(size(x, 0), size(x, 1));
  const Count inputs = elements(node.input(weights).shape());
  const Count states = elements(node.input(weights + 1).shape());
  if (!inputs || !states) return std::nullopt;
  return multiply_adds(product(rows, saturated_sum(*inputs, *states)));
}

/// The product of queries [..., L, E] and keys [..., S, E], and that of its softmax and values [..., S, V].
std::optional<LayerCost> attention(ScaledDotProductAttentionView node) {
  const PartialShape& queries = node.query().shape();
  const PartialShape& keys = node.key().shape();
  const Count length = size(keys, -2);
  const Count scores = product(elements(queries), length);
  const Count results = product(elements(node.output(0)), length);
  if (!scores || !results) return std::nullopt;
  return multiply_adds(saturated_sum(*scores, *results));
}

/// The product of the sizes of all labels, for each input but the first: a sum of products without an order
/// in which intermediate results would save work.
std::optional<LayerCost> einsum(const Node& node) {
  const EinsumEquation equation = parse_einsum(node.text("equation"));
  std::map<int, Count> sizes;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const PartialShape& shape = node.input(i).shape();
    if (!shape.has_rank()) return std::nullopt;
    std::int64_t axis = 0;
    const auto add_axis = [&](int label) {
      Count& known = sizes[label];
      const Count now = size(shape, axis++);
      if (!known || (now && *now > *known)) known = now;
    };
    const std::string& labels = equation.inputs[i];
    for (const char label : labels) {
      if (label != '.') {
        add_axis(static_cast<unsigned char>(label));
        continue;
      }
      // Axes of the ellipsis have numbers beyond the labels, counted from the right, as they are broadcast.
      for (std::size_t left = shape.rank() + 1 - labels.size(); left > 0; --left)
        add_axis(static_cast<int>(256 + left));
    }
  }
  Count all = 1;
  for (const auto& label : sizes) all = product(all, label.second);
  const std::uint64_t products = node.inputs().size() - 1;
  return products == 0 ? operations(all) : multiply_adds(product(all, products));
}

/// The elements of the window for each element of the result.
std::optional<LayerCost> pooling(const Node& node) {
  std::uint64_t window = 1;
  for (const std::int64_t one : node.integers("kernel"))
    window = saturated_product(window, static_cast<std::uint64_t>(std::max<std::int64_t>(one, 1)));
  return operations(product(elements(node.output(0)), window));
}

/// Layers that only move, copy, select or make elements.
bool has_no_arithmetic(const Node& node) {
  const Traits& traits = node.op().traits;
  if (node.is_one_of({ops::Equal, ops::NotEqual})) return false;
  return traits.takes_strings || traits.rearranges ||
         node.is_one_of({ops::Const, ops::Convert, ops::ConvertLike, ops::Eye, ops::Multinomial, ops::NonZero,
                         ops::OneHot, ops::Parameter, ops::PriorBox, ops::PriorBoxClustered,
                         ops::RandomUniform, ops::Range, ops::StringTensorPack, ops::TopK});
}

/// Operations for each element of input 0, of layers that normalise or reduce it; 0 for others.
std::uint64_t operations_per_input(const Node& node) {
  // SoftMax: maximum, difference, exponential, sum, quotient. MVN: sum, difference, square, sum, quotient.
  if (node.is_one_of({ops::SoftMax, ops::LogSoftmax, ops::GroupNormalization, ops::MVN})) return 5;
  if (node.is_one_of({ops::NormalizeL2, ops::LRN})) return 3;  // square, sum, quotient
  // BatchNormInference: a product and a sum.
  if (node.is_one_of({ops::BatchNormInference, ops::ReduceL1, ops::ReduceL2})) return 2;
  const bool is_sum =
      node.op().traits.is_reduction ||
      node.is_one_of({ops::CumSum, ops::AdaptiveAvgPool, ops::EmbeddingBagOffsetsSum, ops::Col2Im});
  return is_sum ? 1 : 0;
}

}  // namespace

std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? UINT64_MAX : result;
}

std::optional<LayerCost> cost_of(const Node& node) {
  if (node.is(ops::MatMul)) return mat_mul(node);
  if (node.is(ops::Einsum)) return einsum(node);
  if (node.is(ops::Convolution)) return convolution(node, 1, 1);
  if (node.is(ops::GroupConvolution)) return convolution(node, 1, 2);  // [group, O, I, ...]
  if (node.is(ops::DeformableConvolution)) return convolution(node, 2, 1);
  if (node.is(ops::ConvolutionBackpropData)) return transposed_convolution(node, 1);
  if (node.is(ops::GroupConvolutionBackpropData))
    return transposed_convolution(node, 2);  // [group, I, O, ...]
  if (node.is(ops::LSTMSequence)) return recurrent(node, 4);
  if (node.is_one_of({ops::GRUSequence, ops::RNNSequence})) return recurrent(node, 3);
  if (node.is(ops::ScaledDotProductAttention)) return attention(node);
  if (node.is_one_of({ops::MaxPool, ops::AvgPool})) return pooling(node);
  if (has_no_arithmetic(node)) return LayerCost{};
  if (const std::uint64_t factor = operations_per_input(node); factor != 0)
    return operations(product(elements(node.input(0).shape()), factor));
  return operations(elements(node.output(0)));
}

}  // namespace onnx2ir::ir
