// Workarounds for quantised operations that compute wrongly with integers: an opaque copy of their input
// separates them from the FakeQuantize before them, so that OpenVINO computes them in f32.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/quantization.hpp"
#include "ir/views/spatial.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/round_to_grid.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::int64_t kStrippedLevels = 65536;

bool are_equal(ir::Value a, ir::Value b) {
  const auto first = ir::exact_numbers(a);
  const auto second = ir::exact_numbers(b);
  return first && second &&
         std::ranges::equal(*first, *second, [&](double x, double y) { return is_near(x, y, a.type()); });
}

/// Fault::stripped_quantization. OpenVINO removes a FakeQuantize with 65536 levels together with its
/// clipping, which may replace a ReLU. OpenVINO keeps those whose results have another range, and those with
/// computed bounds.
bool is_stripped(ir::FakeQuantizeView quantize) {
  return quantize.levels() == kStrippedLevels && are_equal(quantize.input_low(), quantize.output_low()) &&
         are_equal(quantize.input_high(), quantize.output_high());
}

/// `high` plus a step.
ir::Value raise_bound(ir::Builder& builder, ir::Value low, ir::Value high) {
  constexpr double kShare = 1.0 / static_cast<double>(kStrippedLevels - 1);
  const ir::Value range = builder.op(ops::Subtract, {high, low});
  const ir::Value step = builder.op(ops::Multiply, {range, builder.number_like(kShare, range)});
  return builder.op(ops::Add, {high, step});
}

ir::Value add_level(ir::Builder& builder, ir::FakeQuantizeView quantize) {
  const ir::Value high = raise_bound(builder, quantize.input_low(), quantize.input_high());
  const ir::Value highest = raise_bound(builder, quantize.output_low(), quantize.output_high());
  return builder.op(ops::FakeQuantize,
                    {quantize.data(), quantize.input_low(), high, quantize.output_low(), highest},
                    {{"levels", kStrippedLevels + 1}});
}

/// Of the bounds of a FakeQuantize, in steps.
constexpr double kRounding = 0.25;

/// Whether 0 is the integer 0 of the numbers that a FakeQuantize gives.
bool has_no_zero_point(const ir::Node& node) {
  const auto quantization = ir::match<ir::FakeQuantizeView>(node);
  const auto low = quantization ? ir::exact_number(quantization->input_low()) : std::nullopt;
  const auto high = low ? ir::exact_number(quantization->input_high()) : std::nullopt;
  if (!low || !high) return false;
  const double step = (*high - *low) / static_cast<double>(quantization->levels() - 1);
  // Signed integers from -128 or from -127 on.
  const double sum = (*low + *high) / step;
  const double expected = quantization->levels() % 2 == 0 ? -1 : 0;
  return *low == 0 || std::abs(sum - expected) < kRounding;
}

/// Fault::quantized_padded_average.
bool averages_pads(ir::AvgPoolView pool) {
  const auto is_positive = [](std::int64_t size) { return size > 0; };
  return !pool.exclude_pad() && holds_integers(pool.data()) && !has_no_zero_point(*pool.data().node) &&
         (std::ranges::any_of(pool.pads_begin(), is_positive) ||
          std::ranges::any_of(pool.pads_end(), is_positive));
}

/// The axes along which a Pad may add elements; all axes if its pads are dynamic.
std::vector<std::size_t> padded_axes(ir::PadView pad) {
  std::vector<std::size_t> axes;
  const auto begins = ir::exact_values(pad.begins());
  const auto ends = ir::exact_values(pad.ends());
  for (std::size_t axis = 0; axis < pad.data().shape().rank(); ++axis) {
    if (!begins || !ends || (*begins)[axis] != 0 || (*ends)[axis] != 0) axes.push_back(axis);
  }
  return axes;
}

/// Whether `node` scales, or moves, a product of quantised numbers that are not weights.
bool scales_product(const ir::Node& node) {
  const auto product = ir::match<ir::MatMulView>(scaled_source(node));
  return product && integers_of(*product->a().node) != nullptr &&
         integers_of(*product->b().node) != nullptr && !ir::is_computed_from_constants(product->b());
}

/// Fault::quantized_pad_value. OpenVINO pads the scales and zero points, too, if there is one padded axis.
bool pads_quantized_numbers(ir::PadView pad) {
  const ir::PartialShape& shape = pad.data().shape();
  if (pad.pad_mode() != "constant" || !shape.has_rank()) return false;
  const ir::Node* const integers = integers_of(*pad.data().node);
  if (integers == nullptr && !scales_product(*pad.data().node)) return false;
  const std::vector<std::size_t> axes = padded_axes(pad);
  if (axes.size() > 1 && ir::exact_values(pad.begins()) && ir::exact_values(pad.ends())) return false;
  if (ir::exact_number(pad.value()) != 0.0) return true;
  return integers != nullptr && (integers != pad.data().node || !has_no_zero_point(*integers)) &&
         std::ranges::any_of(axes, [&](std::size_t axis) { return shape[axis].admits(1); });
}

/// Fault::quantized_narrow_average.
bool averages_few_channels(ir::AvgPoolView pool) {
  constexpr std::int64_t kFewest = 4;
  const ir::PartialShape& shape = pool.output(0).shape;
  return holds_integers(pool.data()) && (!shape.has_rank() || shape.rank() < 2 || shape[1].min < kFewest);
}

/// Fault::quantized_pool_of_channel.
bool pools_channel(ir::MaxPoolView pool) {
  const ir::PartialShape& shape = pool.output(0).shape;
  const bool has_channels = shape.has_rank() && shape.rank() > 1 && !shape[1].admits(1);
  return !shape.is_static() && !has_channels && holds_integers(pool.data()) &&
         any_is_one_of(readers_past_moves(pool), {ops::FakeQuantize});
}

/// Fault::quantized_filters_of_channel. OpenVINO shifts signed numbers, too.
bool multiplies_signed_channels(ir::GroupConvolutionView convolution) {
  if (convolution.output(0).shape.is_static() || !has_filters_of_one_channel(convolution)) return false;
  if (!holds_integers(convolution.data())) return false;
  const auto quantization = ir::match<ir::FakeQuantizeView>(convolution.data());
  return !quantization || ir::exact_number(quantization->input_low()) != 0.0;
}

/// The grid of the integers of i8 that `multiply` scales; no value if it scales something else, or by several
/// numbers.
std::optional<QuantizationGrid> signed_grid(const ir::Node& multiply) {
  const ir::Value scaled = variable_operand(multiply);
  const ir::Value factor = constant_operand(multiply);
  const auto scale = scaled && factor ? ir::exact_number(factor) : std::nullopt;
  if (!scale || *scale <= 0) return std::nullopt;
  const auto numbers = converted_integers(scaled);
  if (!numbers || numbers->integers.type() != ir::ElementType::i8) return std::nullopt;
  const auto zero_point = numbers->zero_point ? source_number(numbers->zero_point) : 0.0;
  if (!zero_point) return std::nullopt;
  return QuantizationGrid{ir::ElementType::i8, *zero_point, *scale};
}

/// Fault::halved_filters. oneDNN halves the filters of a Convolution of signed integers of 8 bits on CPUs
/// without VNNI, so that its sums of 16 bits cannot overflow, and the filters lose their last bit. OpenVINO
/// computes with integers only in a model with a FakeQuantize.
bool precedes_convolution(const ir::Node& node) {
  if (!node.graph().may_hold(kConvolutions) || !signed_grid(node)) return false;
  const auto& uses = node.output(0).uses;
  const auto is_rounding = [](const ir::Use& use) { return use.node->is(ops::FakeQuantize); };
  return !std::ranges::all_of(uses, is_rounding) && any_is_one_of(readers_past_moves(node), kConvolutions);
}

/// A FakeQuantize that changes no number makes the integers unsigned. They stay integers on all CPUs.
void round_to_integers(ir::Builder& builder, ir::Node& node) {
  const ir::Value numbers = node.value();
  const ir::Value rounded = round_to_grid(builder, numbers, *signed_grid(node));
  ir::replace_uses_except(numbers, rounded, *rounded.node);
}

}  // namespace

Workaround separate_quantized_inputs() {
  return {
      .summary =
          "Keeps OpenVINO from computing quantised operations in integers where that gives wrong values, and "
          "adds a level to a FakeQuantize of 65536 levels",
      .stages = {
          {Stage::operations,
           {row<is_stripped, add_level>(Fault::stripped_quantization, {ops::FakeQuantize})}},
          {Stage::kernels,
           {row<precedes_convolution, round_to_integers>(Fault::halved_filters, {ops::Multiply},
                                                         kIfQuantized),
            row<multiplies_signed_channels, separate_from_input>(Fault::quantized_filters_of_channel,
                                                                 {ops::GroupConvolution}),
            row<averages_few_channels, separate_from_input>(Fault::quantized_narrow_average, {ops::AvgPool}),
            row<pads_quantized_numbers, separate_from_input>(Fault::quantized_pad_value, {ops::Pad}),
            row<averages_pads, separate_from_input>(Fault::quantized_padded_average, {ops::AvgPool}),
            row<pools_channel, separate_from_input>(Fault::quantized_pool_of_channel, {ops::MaxPool})}}}};
}

}  // namespace onnx2ir::passes
