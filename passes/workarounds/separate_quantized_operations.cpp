// Workarounds for fusions of quantised operations that are wrong: OpenVINO moves their scales and zero
// points. An opaque copy of the result keeps the operations of a row apart from those that read them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "ir/graph.hpp"
#include "ir/inference.hpp"
#include "ir/known_values.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/quantization.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/spatial.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"
#include "passes/workarounds/separation.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr int kMostMoves = 8;

/// The last of the constant factors that are the only readers one after the other; `node` if there are none.
const ir::Node& last_factor_after(const ir::Node& node) {
  const ir::Node* last = &node;
  for (int count = 0; count < kMostMoves; ++count) {
    const ir::Node* const reader = only_reader(*last);
    if (reader == nullptr || !reader->is_one_of({ops::Multiply, ops::Divide})) break;
    if (constant_operand(*reader) == nullptr) break;
    last = reader;
  }
  return *last;
}

/// Fault::shared_quantized_product. OpenVINO multiplies constant factors with the scale of the product.
bool is_shared_quantized_product(const ir::Node& node) {
  return !node.output(0).shape.is_static() && !node.input(1).node->is(ops::Const) &&
         (!node.is(ops::MatMul) || is_quantized(node.input(0))) &&
         last_factor_after(node).output(0).uses.size() > 1;
}

/// The part of the chain before a conversion.
std::vector<const ir::Node*> chain_until_conversion(const ir::Node& node) {
  std::vector<const ir::Node*> chain = chain_after(node);
  chain.erase(std::ranges::find_if(chain, [](const ir::Node* reader) { return reader->is(ops::Convert); }),
              chain.end());
  return chain;
}

bool admits_one(const ir::Dimension& size) {
  return size.admits(1);
}

/// The sizes of a shape that cannot be 1.
std::vector<ir::Dimension> sizes_above_one(const ir::PartialShape& shape) {
  std::vector<ir::Dimension> sizes(shape.begin(), shape.end());
  std::erase_if(sizes, admits_one);
  return sizes;
}

/// Whether `node` may do nothing but add or remove axes of size 1.
bool changes_unit_axes(const ir::Node& node) {
  if (!node.op().traits.reshapes) return false;
  const ir::PartialShape& from = node.input(0).shape();
  const ir::PartialShape& to = node.output(0).shape;
  return from.has_rank() && to.has_rank() &&
         std::ranges::equal(
             sizes_above_one(from), sizes_above_one(to),
             [](const ir::Dimension& a, const ir::Dimension& b) { return ir::is_identical(a, b); });
}

/// The axes along which a FakeQuantize, or arithmetic with a constant, differs, counted without axes of size
/// 1, and without those whose size may be 1.
struct CountedAxes {
  std::vector<std::size_t> without_units;
  std::vector<std::size_t> without_dynamic;
  friend bool operator==(const CountedAxes&, const CountedAxes&) = default;
};

/// Whether `node` is a Convolution of quantised numbers whose filters have several scales.
bool has_scales_of_filters(const ir::Node& node) {
  if (!node.is_one_of({ops::Convolution, ops::GroupConvolution}) || !is_quantized(node.input(0)))
    return false;
  const auto weights = dequantized_weights(node.input(1));
  return !weights || weights->scale.shape().element_count() != 1;
}

/// The axes along which OpenVINO may give the numbers of `node` several scales or constants: those of its
/// constants, or the channels that a Concat of quantised numbers joins, or a Convolution of them gives.
std::vector<std::size_t> axes_of_scales(const ir::Node& node) {
  if (node.is_one_of({ops::Convolution, ops::GroupConvolution}))
    return has_scales_of_filters(node) ? std::vector<std::size_t>{1} : std::vector<std::size_t>{};
  const auto concat = ir::match<ir::ConcatView>(node);
  if (!concat) return scaled_axes(node);
  const ir::PartialShape& shape = node.output(0).shape;
  const bool joins_channels = shape.has_rank() && ir::normalize_axis(concat->axis(), shape.rank()) == 1;
  const auto is_integral = [](ir::Value part) { return holds_integers(part); };
  if (!joins_channels || !std::ranges::all_of(node.inputs(), is_integral)) return {};
  return {1};
}

CountedAxes counted_axes(const ir::Node& node) {
  const ir::PartialShape& shape = node.output(0).shape;
  CountedAxes axes;
  for (const std::size_t axis : axes_of_scales(node)) {
    const auto* const end = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    axes.without_units.push_back(axis -
                                 static_cast<std::size_t>(std::count(shape.begin(), end, ir::Dimension(1))));
    axes.without_dynamic.push_back(axis -
                                   static_cast<std::size_t>(std::count_if(shape.begin(), end, admits_one)));
  }
  return axes;
}

/// Fault::quantized_axis_constants. OpenVINO takes each constant factor for the scale of a dequantisation,
/// and moves it through operations that add axes of size 1, and through some that move elements. It moves the
/// scales of filters only through operations that keep scales.
bool precedes_constant_of_another_axis(const ir::Node& node) {
  constexpr std::size_t kMostNodes = 64;
  constexpr ir::OperationSet kMoves = {ops::Gather, ops::MaxPool, ops::Pad, ops::Transpose};
  constexpr ir::OperationSet kKeepScales = {ops::Add,   ops::Divide, ops::Multiply,
                                            ops::PReLU, ops::ReLU,   ops::Subtract};
  const bool is_product = node.is_one_of({ops::Convolution, ops::GroupConvolution});
  const CountedAxes axes = counted_axes(node);
  if (axes.without_units.empty()) return false;
  std::vector<const ir::Node*> nodes = {&node};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const ir::Use& use : nodes[i]->output(0).uses) {
      const ir::Node& reader = *use.node;
      const bool is_scaled = kKeepScales.contains(reader.op().id) || (!is_product && is_elementwise(reader));
      const bool is_fused = is_scaled || changes_unit_axes(reader) || kMoves.contains(reader.op().id);
      if (reader.is(ops::Convert) || !is_fused || is_opaque_copy(reader)) continue;
      if (reader.is_one_of({ops::Add, ops::Subtract})) {
        const CountedAxes others = counted_axes(reader);
        if (!others.without_units.empty() && others != axes) return true;
      }
      if (nodes.size() < kMostNodes) nodes.push_back(&reader);
    }
  }
  return false;
}

/// Fault::quantized_dynamic_channels. With a Transpose that several operations read, any dynamic size is
/// enough.
bool precedes_quantization(const ir::Node& node) {
  const std::vector<std::size_t> axes = scaled_axes(node);
  const ir::Value* const data = axes.empty() ? nullptr : variable_operand(node);
  if (data == nullptr) return false;
  const ir::PartialShape& shape = data->shape();
  const std::size_t rank = node.output(0).shape.rank();
  const bool is_dynamic =
      !shape.has_rank() || shape.rank() != rank ||
      std::ranges::any_of(axes, [&](std::size_t axis) { return shape[axis].is_dynamic(); });
  if (!is_dynamic && shape.is_static()) return false;
  const std::vector<const ir::Node*> readers = readers_past_moves(node);
  const auto is_quantization = [](const ir::Node* reader) { return reader->is(ops::FakeQuantize); };
  const auto is_shared_transpose = [](const ir::Node* reader) {
    return reader->is(ops::Transpose) && reader->output(0).uses.size() > 1;
  };
  return (is_dynamic || std::ranges::any_of(readers, is_shared_transpose)) &&
         std::ranges::any_of(readers, is_quantization);
}

/// Fault::quantized_clamp_channels. OpenVINO merges the sum and the Clamp with the FakeQuantize, but not the
/// bias of a product; if all sizes are static, only after an AvgPool.
bool precedes_quantized_clamp(const ir::Node& node) {
  constexpr ir::OperationSet kProducts = {ops::Convolution, ops::ConvolutionBackpropData,
                                          ops::GroupConvolution, ops::GroupConvolutionBackpropData,
                                          ops::MatMul};
  const ir::Value* const data = scaled_axes(node).empty() ? nullptr : variable_operand(node);
  if (data == nullptr || (node.output(0).shape.is_static() && !data->node->is(ops::AvgPool))) return false;
  if (kProducts.contains(data->node->op().id) && is_used_once(*data)) return false;
  const std::vector<const ir::Node*> chain = chain_until_conversion(node);
  const auto clamp =
      std::ranges::find_if(chain, [](const ir::Node* reader) { return reader->is(ops::Clamp); });
  return std::any_of(clamp, chain.end(),
                     [](const ir::Node* reader) { return reader->is(ops::FakeQuantize); });
}

/// Fault::scaled_integer_clamp. A Clamp without effect is that of separate_zero_points.
bool clamps_scaled_integers(ir::ClampView clamp) {
  constexpr unsigned kBits = 8;
  constexpr double kNoBound = std::numeric_limits<float>::max();
  if (clamp.min() <= -kNoBound && clamp.max() >= kNoBound) return false;
  if (!clamp.node().graph().may_hold({ops::FakeQuantize})) return false;
  const ir::Node* source = clamp.data().node;
  for (int step = 0; step < kMostMoves; ++step) {
    if (const auto convert = ir::match<ir::ConvertView>(*source)) {
      const ir::ElementType type = convert->data().type();
      return ir::is_integral(type) && ir::info(type).bits == kBits;
    }
    const bool is_scaling = source->is_one_of({ops::Add, ops::Divide, ops::Multiply, ops::Subtract}) &&
                            constant_operand(*source) != nullptr;
    if (!is_scaling && !moves_elements(*source) && !source->is(ops::ReLU)) return false;
    const ir::Value* const data = variable_operand(*source);
    if (data == nullptr) return false;
    source = data->node;
  }
  return false;
}

/// Fault::reversed_quantized_sum: the constant is the first operand.
bool is_reversed(const ir::Node& node) {
  if (node.output(0).shape.is_static() || !ir::is_computed_from_constants(node.input(0))) return false;
  const ir::Value* const constant = constant_operand(node);
  if (constant == nullptr || scaled_axes(node).empty()) return false;
  return std::ranges::any_of(chain_after(node),
                             [](const ir::Node* reader) { return reader->is(ops::FakeQuantize); });
}

void swap_operands(ir::Builder& /*builder*/, ir::Node& node) {
  const ir::Value first = node.input(0);
  node.set_input(0, node.input(1));
  node.set_input(1, first);
}

/// Fault::quantized_extremum.
bool is_quantized_extremum(const ir::Node& node) {
  const std::vector<const ir::Node*> chain = chain_after(node);
  return std::ranges::any_of(chain, [](const ir::Node* reader) { return reader->is(ops::FakeQuantize); });
}

/// Fault::quantized_transpose. OpenVINO moves the Transpose after the FakeQuantize.
bool quantizes_transpose(const ir::Node& node) {
  return !scaled_axes(node).empty() && node.input(0).node->is(ops::Transpose) &&
         !node.output(0).shape.is_static();
}

/// Whether `node` multiplies by a constant of which a number may be negative.
bool may_change_signs(const ir::Node& node) {
  if (node.is(ops::Negative)) return true;
  if (node.is(ops::Subtract)) return ir::is_computed_from_constants(node.input(0));
  const ir::Value* const factor =
      node.is_one_of({ops::Multiply, ops::Divide}) ? constant_operand(node) : nullptr;
  const auto factors = factor != nullptr ? ir::exact_numbers(*factor) : std::nullopt;
  if (!factors) return factor != nullptr;
  return std::ranges::any_of(*factors, [](double number) { return number < 0; });
}

/// Whether `node` or a constant factor before it may change signs.
bool follows_changed_signs(const ir::Node& node) {
  const ir::Node* factor = &node;
  for (int depth = 0; depth < kMostMoves; ++depth) {
    if (may_change_signs(*factor)) return true;
    const ir::Value* const data = variable_operand(*factor);
    const bool is_fused = data != nullptr && (is_elementwise(*factor) || moves_elements(*factor));
    if (!is_fused || factor->is(ops::Convert)) return false;
    factor = data->node;
  }
  return false;
}

/// Whether `node`, possibly after operations with constants, or that move elements, is read by a
/// FakeQuantize, and one of the factors may be negative. OpenVINO merges the factors, also if there are other
/// readers.
bool changes_signs_before_quantization(const ir::Node& node) {
  constexpr std::size_t kMostNodes = 32;
  struct Step {
    const ir::Node* node;
    bool has_changed_signs;
  };
  std::vector<Step> steps = {{&node, follows_changed_signs(node)}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step step = steps[i];
    for (const ir::Use& use : step.node->output(0).uses) {
      const ir::Node& reader = *use.node;
      if (reader.is(ops::FakeQuantize)) {
        if (step.has_changed_signs) return true;
        continue;
      }
      const bool is_fused = is_elementwise(reader) && !reader.is(ops::Convert) && !is_opaque_copy(reader) &&
                            (reader.inputs().size() == 1 || constant_operand(reader) != nullptr);
      if ((is_fused || moves_elements(reader)) && steps.size() < kMostNodes)
        steps.push_back({&reader, step.has_changed_signs || may_change_signs(reader)});
    }
  }
  return false;
}

/// Fault::quantized_channel_factors.
bool scales_before_quantization(const ir::Node& node) {
  return !node.output(0).shape.is_static() && !scaled_axes(node).empty() &&
         changes_signs_before_quantization(node);
}

/// The number of elements of one channel; no value if it is not static.
std::optional<std::int64_t> channel_size(const ir::PartialShape& shape) {
  std::int64_t count = 1;
  for (std::size_t axis = 2; axis < shape.rank(); ++axis) {
    if (shape[axis].is_dynamic() || __builtin_mul_overflow(count, shape[axis].size(), &count))
      return std::nullopt;
  }
  return count;
}

/// Fault::quantized_regrouped_channels.
bool precedes_regrouped_channels(const ir::Node& node) {
  if (scaled_axes(node) != std::vector<std::size_t>{1}) return false;
  const ir::Node* const reader = reader_after(node, chain_after(node));
  const auto reshape = reader != nullptr ? ir::match<ir::ReshapeView>(*reader) : std::nullopt;
  if (!reshape) return false;
  const ir::PartialShape& from = reshape->data().shape();
  const ir::PartialShape& to = reshape->output(0).shape;
  if (from.is_static() || !to.has_rank() || to.rank() < 2) return false;
  const auto size = channel_size(from);
  return !ir::is_identical(from[0], to[0]) && !(size && size == channel_size(to));
}

/// Fault::quantized_row_constants. If all sizes are static, only a constant after another FakeQuantize is
/// read wrongly.
bool precedes_row_constant(ir::MatMulView product) {
  const ir::PartialShape& shape = product.output(0).shape;
  if (!shape.has_rank() || shape.rank() < 2 || !is_quantized(product.a())) return false;
  const std::vector<std::size_t> columns = {shape.rank() - 1};
  bool is_affected = !shape.is_static();
  for (const ir::Node* reader : chain_until_conversion(product)) {
    is_affected = is_affected || reader->is(ops::FakeQuantize);
    const std::vector<std::size_t> axes = scaled_axes(*reader);
    if (is_affected && !axes.empty() && axes != columns) return true;
  }
  return false;
}

/// Fault::quantized_concat_factors.
bool is_scaled_concat(const ir::Node& node) {
  const ir::Node* source = node.input(0).node;
  if (!is_elementwise(*source)) return false;
  for (int depth = 0; is_elementwise(*source) && depth < kMostMoves; ++depth) {
    const ir::Value* const data = variable_operand(*source);
    if (data == nullptr) return false;
    source = data->node;
  }
  return source->is(ops::Concat) &&
         std::ranges::any_of(chain_until_conversion(node), [](const ir::Node* reader) {
           const std::vector<std::size_t> axes = scaled_axes(*reader);
           return reader->is_one_of({ops::Multiply, ops::Divide}) && !axes.empty() && axes.back() > 1;
         });
}

/// The difference of neighbouring numbers that a FakeQuantize with one step gives.
std::optional<double> step_of(ir::FakeQuantizeView quantization) {
  const auto low = ir::exact_number(quantization.output_low());
  const auto high = ir::exact_number(quantization.output_high());
  if (!low || !high) return std::nullopt;
  return (*high - *low) / static_cast<double>(quantization.levels() - 1);
}

/// The same for the numbers of a value: those of a FakeQuantize, or integers times a constant.
std::optional<double> step_of(ir::Value value) {
  for (int depth = 0; depth < kMostMoves; ++depth) {
    const ir::Node& node = *value.node;
    if (const auto quantization = ir::match<ir::FakeQuantizeView>(node)) return step_of(*quantization);
    if (node.is(ops::Multiply)) {
      const ir::Value* const scale = constant_operand(node);
      return scale == nullptr ? std::nullopt : ir::exact_number(*scale);
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
  if (sum == nullptr || !sum->is_one_of({ops::Add, ops::Subtract}) || scaled_axes(*sum).empty()) return false;
  const ir::Node* const quantization = only_reader(*sum);
  if (quantization == nullptr || !quantization->is(ops::FakeQuantize)) return false;
  const auto weights = weights_of(product);
  const auto scales = weights ? ir::exact_numbers(weights->weights.scale) : std::nullopt;
  const auto step = scales ? step_of(product.a()) : std::nullopt;
  const auto next_step = step ? step_of(ir::FakeQuantizeView(*quantization)) : std::nullopt;
  if (!next_step) return false;
  return std::ranges::any_of(
      *scales, [&](double scale) { return std::abs(*step * scale - *next_step) <= *next_step * kRounding; });
}

/// Fault::quantized_group_filters.
bool multiplies_quantized_channels(ir::GroupConvolutionView convolution) {
  return has_filters_of_one_channel(convolution) && is_quantized(convolution.data());
}

/// Whether the value is a Convolution or MatMul of quantised numbers, possibly with elementwise operations.
bool is_quantized_product(ir::Value value) {
  for (int depth = 0; depth < kMostMoves; ++depth) {
    const ir::Node& node = *value.node;
    if (node.is_one_of({ops::MatMul, ops::Convolution, ops::GroupConvolution})) {
      return is_quantized(node.input(0));
    }
    const ir::Value* const data = is_elementwise(node) ? variable_operand(node) : nullptr;
    if (data == nullptr) return false;
    value = *data;
  }
  return false;
}

/// Fault::quantized_relu_factors. OpenVINO makes a Negative a factor.
bool precedes_negative_factor(const ir::Node& node) {
  if (!is_quantized_product(node.input(0))) return false;
  const auto is_negative = [](const ir::Node* reader) {
    if (reader->is(ops::Negative)) return true;
    const ir::Value* const factor =
        reader->is_one_of({ops::Multiply, ops::Divide}) ? constant_operand(*reader) : nullptr;
    if (factor == nullptr) return false;
    const auto factors = ir::exact_numbers(*factor);
    return !factors || std::ranges::any_of(*factors, [](double number) { return number < 0; });
  };
  return std::ranges::any_of(chain_until_conversion(node), is_negative);
}

ir::OperationSet arithmetic_and_quantization() {
  ir::OperationSet operations =
      operations_with([](const ir::Traits& traits) { return traits.is_arithmetic; });
  operations.add(ops::FakeQuantize);
  return operations;
}

}  // namespace

Workaround separate_quantized_operations() {
  constexpr ir::OperationSet kProducts = {ops::Convolution, ops::GroupConvolution, ops::MatMul};
  constexpr ir::OperationSet kFactors = {ops::Multiply, ops::Divide};
  const auto row = [](Fault fault, const ir::OperationSet& operations, bool (*is_affected)(const ir::Node&)) {
    return LegalizationRow{fault, operations, is_affected, separate_from_uses};
  };
  return {
      .name = "separate_quantized_operations",
      .stage = Stage::kernels,
      .summary = "Keeps quantised operations apart that OpenVINO would fuse wrongly",
      .rows = {
          row(Fault::quantized_axis_constants,
              {ops::Concat, ops::Convolution, ops::Divide, ops::FakeQuantize, ops::GroupConvolution,
               ops::Multiply},
              must_be_separated_if_quantized<precedes_constant_of_another_axis>),
          row(Fault::quantized_channel_factors, kFactors,
              must_be_separated_if_quantized<scales_before_quantization>),
          row(Fault::quantized_clamp_channels, {ops::Add, ops::Subtract},
              must_be_separated_if_quantized<precedes_quantized_clamp>),
          row(Fault::quantized_concat_factors, {ops::FakeQuantize}, must_be_separated<is_scaled_concat>),
          row(Fault::quantized_dynamic_channels, arithmetic_and_quantization(),
              must_be_separated_if_quantized<precedes_quantization>),
          row(Fault::quantized_extremum, {ops::ReduceMax, ops::ReduceMin},
              must_be_separated_if_quantized<is_quantized_extremum>),
          row(Fault::quantized_group_filters, {ops::GroupConvolution},
              must_be_separated_if_quantized<multiplies_quantized_channels>),
          row(Fault::quantized_regrouped_channels, arithmetic_and_quantization(),
              must_be_separated_if_quantized<precedes_regrouped_channels>),
          row(Fault::quantized_relu_factors, {ops::ReLU, ops::PReLU},
              must_be_separated_if_quantized<precedes_negative_factor>),
          row(Fault::quantized_row_constants, {ops::MatMul},
              must_be_separated_if_quantized<precedes_row_constant>),
          LegalizationRow{
              Fault::quantized_transpose, {ops::FakeQuantize}, quantizes_transpose, separate_from_input},
          row(Fault::quantized_unit_scale, {ops::MatMul},
              must_be_separated_if_quantized<precedes_step_of_product>),
          LegalizationRow{
              Fault::reversed_quantized_sum, {ops::Add, ops::Multiply}, is_reversed, swap_operands},
          LegalizationRow{Fault::scaled_integer_clamp,
                          {ops::Clamp},
                          affects<clamps_scaled_integers>,
                          separate_from_input},
          row(Fault::shared_quantized_product, kProducts, must_be_separated<is_shared_quantized_product>)}};
}

}  // namespace onnx2ir::passes
