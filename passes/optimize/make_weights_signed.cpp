// The integer kernels of the CPU plugin multiply u8 by i8 without a zero point. u8 weights minus their zero
// point fit into i8 except for a few outputs, whose scale is made larger: the rounding of the weights adds
// less than half a step to the error of these outputs. The kernels of transposed convolutions ignore a zero
// point (quantized_transposed_filters).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/views/groups.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/spatial.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Weights [before, outputs, after] in C order.
struct Layout {
  std::size_t before;
  std::size_t outputs;
  std::size_t after;
};

std::optional<Layout> layout_of(const ir::Integers& sizes, std::size_t axis) {
  Layout layout{1, static_cast<std::size_t>(sizes[axis]), 1};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i < axis) layout.before *= static_cast<std::size_t>(sizes[i]);
    if (i > axis) layout.after *= static_cast<std::size_t>(sizes[i]);
  }
  return layout.before * layout.outputs * layout.after == 0 ? std::nullopt : std::optional(layout);
}

/// One number, or one for each output, which is `axis` of the weights; no value for other constants, such as
/// one number for each input.
std::optional<ir::Numbers> of_outputs(ir::Value value, const ir::Integers& weights, std::size_t axis) {
  ir::Node* const node = source_constant(value);
  const auto sizes = node == nullptr ? std::nullopt : node->output(0).shape.sizes();
  if (!sizes || sizes->size() > weights.size()) return std::nullopt;
  const std::size_t missing = weights.size() - sizes->size();
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const bool is_of_outputs = missing + i == axis && (*sizes)[i] == weights[axis];
    if ((*sizes)[i] != 1 && !is_of_outputs) return std::nullopt;
  }
  return ir::exact_numbers(node->value());
}

double number_of(const ir::Numbers& numbers, std::size_t output) {
  return numbers[numbers.size() == 1 ? 0 : output];
}

/// The largest distance of weights from the zero point of each output.
std::vector<double> reach_of(std::span<const std::byte> bytes, const Layout& layout,
                             const ir::Numbers& zero) {
  std::vector<double> reach(layout.outputs, 0);
  std::size_t at = 0;
  for (std::size_t before = 0; before < layout.before; ++before) {
    for (std::size_t output = 0; output < layout.outputs; ++output) {
      int low = 255;
      int high = 0;
      for (std::size_t i = 0; i < layout.after; ++i, ++at) {
        low = std::min(low, static_cast<int>(bytes[at]));
        high = std::max(high, static_cast<int>(bytes[at]));
      }
      const double point = number_of(zero, output);
      reach[output] = std::max({reach[output], point - low, high - point});
    }
  }
  return reach;
}

struct Signed {
  std::vector<std::byte> bytes;
  std::vector<double> factors;  ///< of the scale of each output
};

Signed signed_weights(std::span<const std::byte> bytes, const Layout& layout, const ir::Numbers& zero) {
  constexpr double kMost = 127;
  Signed result{std::vector<std::byte>(bytes.size()), reach_of(bytes, layout, zero)};
  for (double& factor : result.factors) factor = std::max(factor / kMost, 1.0);
  std::size_t at = 0;
  for (std::size_t before = 0; before < layout.before; ++before) {
    for (std::size_t output = 0; output < layout.outputs; ++output) {
      const double point = number_of(zero, output);
      const double factor = result.factors[output];
      for (std::size_t i = 0; i < layout.after; ++i, ++at) {
        const double number = std::nearbyint((static_cast<int>(bytes[at]) - point) / factor);
        result.bytes[at] = static_cast<std::byte>(static_cast<std::int8_t>(number));
      }
    }
  }
  return result;
}

/// The same weights, approximately, as i8; null if they have another form.
ir::Value make_signed(ir::Builder& builder, const DequantizedWeights& weights, std::size_t axis) {
  const auto sizes = weights.data.shape().sizes();
  if (!sizes || weights.data.type() != ir::ElementType::u8) return {};
  const auto layout = layout_of(*sizes, axis);
  const auto zero = !layout              ? std::nullopt
                    : weights.zero_point ? of_outputs(weights.zero_point, *sizes, axis)
                                         : std::optional(ir::Numbers{0});
  const auto scale = layout ? of_outputs(weights.scale, *sizes, axis) : std::nullopt;
  if (!zero || !scale) return {};
  Signed found = signed_weights(weights.data.node->constant()->bytes(), *layout, *zero);
  std::vector<std::int64_t> shape(sizes->size(), 1);
  shape[axis] = (*sizes)[axis];
  std::vector<double> scales(layout->outputs);
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = number_of(*scale, i) * found.factors[i];
  const ir::ElementType type = weights.product->output(0).type;
  const ir::Value data =
      builder.constant(ir::ElementType::i8, *sizes, ir::ConstantData(std::move(found.bytes)));
  const ir::Value numbers = ir::convert(builder, data, type);
  const std::array factors{numbers, builder.numbers(scales, shape, type)};
  return builder.node(ops::Multiply, factors, weights.product->attributes()).value();
}

/// The input of `product`, or of the Reshape that makes groups of filters, that has the weights.
struct WeightUse {
  ir::Node* reader;
  std::size_t input;
  std::size_t axis;  ///< of the outputs
};

WeightUse place_of(ir::Node& product) {
  if (const auto mat_mul = ir::match<ir::MatMulView>(product))
    return {&product, ir::MatMulView::Input::b, mat_mul->transpose_b() ? 0U : 1U};
  if (product.is(ops::ConvolutionBackpropData))
    return {&product, ir::ConvolutionBackpropDataView::Input::filters, 1};
  ir::Node& filters = *ir::AnyConvolutionView(product).filters().node;
  if (product.is(ops::GroupConvolution) && filters.is(ops::Reshape) && is_used_once(filters))
    return {&filters, ir::ReshapeView::Input::data, 0};
  return {&product, ir::AnyConvolutionView::Input::filters, 0};
}

/// Whether products with unsigned weights have no integer kernel: those of rounded numbers, and convolutions
/// of other integers, such as model inputs, if the weights have no zero point. These do not compile.
bool needs_signed_weights(const ir::Node& product, const DequantizedWeights& weights) {
  const ir::Value data = product.input(0);
  return is_quantized(data) || (holds_integers(data) && !weights.zero_point && !product.is(ops::MatMul));
}

bool replace_weights(ir::Builder& builder, ir::Node& product) {
  const WeightUse place = place_of(product);
  const auto found = dequantized_weights(place.reader->input(place.input));
  if (!found || !needs_signed_weights(product, *found)) return false;
  const std::size_t rank = found->data.shape().rank();
  const bool has_groups = product.is(ops::GroupConvolution) && place.reader == &product;
  if (has_groups || (product.is(ops::MatMul) && rank != 2) || rank < 2) return false;
  builder.set_name(found->product->name);
  const ir::Value weights = make_signed(builder, *found, place.axis);
  if (weights) place.reader->set_input(place.input, weights);
  return static_cast<bool>(weights);
}

}  // namespace

bool make_weights_signed(ir::Model& model, PassContext&) {
  ir::OperationSet products = kIntegerProducts;
  products.add(ops::ConvolutionBackpropData);
  return model.graph.model_may_hold({ops::FakeQuantize}) && edit_nodes(model, products, replace_weights);
}

}  // namespace onnx2ir::passes
