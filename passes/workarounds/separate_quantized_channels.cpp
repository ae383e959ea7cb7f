// Workarounds for constants and scales for each channel of quantised numbers, which OpenVINO moves to
// operations where they are wrong. An opaque copy of the result separates the operations of a row from those
// that read them.
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/views/joining.hpp"
#include "ir/views/quantization.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

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
  if (!node.is_one_of(kConvolutions) || !is_quantized(node.input(0))) return false;
  const auto weights = dequantized_weights(node.input(1));
  return !weights || weights->scale.shape().element_count() != 1;
}

/// The axes along which OpenVINO may give the numbers of `node` several scales or constants: those of its
/// constants, or the channels that a Concat of quantised numbers joins, or a Convolution of them gives.
std::vector<std::size_t> axes_of_scales(const ir::Node& node) {
  if (node.is_one_of(kConvolutions))
    return has_scales_of_filters(node) ? std::vector<std::size_t>{1} : std::vector<std::size_t>{};
  const auto concat = ir::match<ir::ConcatView>(node);
  if (!concat) return scaled_axes(node);
  const bool joins_channels = node.output(0).shape.has_rank() && joined_axis(*concat) == 1;
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
  const bool is_product = node.is_one_of(kConvolutions);
  const CountedAxes axes = counted_axes(node);
  if (axes.without_units.empty()) return false;
  return any_after(node, kMostNodes, [&](const ir::Use& use) {
    const ir::Node& reader = *use.node;
    const bool reads_indices = reader.input(use.index).index > 0;  // of a MaxPool
    const bool is_scaled = kKeepScales.contains(reader.op().id) || (!is_product && is_elementwise(reader));
    const bool is_fused = is_scaled || changes_unit_axes(reader) || kMoves.contains(reader.op().id);
    if (reads_indices || reader.is(ops::Convert) || !is_fused || is_opaque_copy(reader)) return Search::skip;
    if (!reader.is_one_of(kSums)) return Search::follow;
    const CountedAxes others = counted_axes(reader);
    return others.without_units.empty() || others == axes ? Search::follow : Search::found;
  });
}

/// Fault::quantized_dynamic_channels. With a Transpose that several operations read, any dynamic size is
/// enough.
bool precedes_quantization(const ir::Node& node) {
  const std::vector<std::size_t> axes = scaled_axes(node);
  const ir::Value data = axes.empty() ? ir::Value{} : variable_operand(node);
  if (!data) return false;
  const ir::PartialShape& shape = data.shape();
  const std::size_t rank = node.output(0).shape.rank();
  const bool is_dynamic = !shape.has_rank(rank) || std::ranges::any_of(axes, [&](std::size_t axis) {
    return shape[axis].is_dynamic();
  });
  if (!is_dynamic && shape.is_static()) return false;
  const std::vector<const ir::Node*> readers = readers_past_moves(node);
  const auto is_shared_transpose = [](const ir::Node* reader) {
    return reader->is(ops::Transpose) && reader->output(0).uses.size() > 1;
  };
  return (is_dynamic || std::ranges::any_of(readers, is_shared_transpose)) &&
         any_is_one_of(readers, {ops::FakeQuantize});
}

/// Fault::quantized_clamp_channels. OpenVINO merges the sum and the Clamp with the FakeQuantize, but not the
/// bias of a product; if all sizes are static, only after an AvgPool.
bool precedes_quantized_clamp(const ir::Node& node) {
  const ir::Value data = scaled_axes(node).empty() ? ir::Value{} : variable_operand(node);
  if (!data || (node.output(0).shape.is_static() && !data.node->is(ops::AvgPool))) return false;
  if (kProducts.contains(data.node->op().id) && is_used_once(data)) return false;
  const std::vector<const ir::Node*> chain = chain_until_conversion(node);
  const auto clamp =
      std::ranges::find_if(chain, [](const ir::Node* reader) { return reader->is(ops::Clamp); });
  return std::any_of(clamp, chain.end(),
                     [](const ir::Node* reader) { return reader->is(ops::FakeQuantize); });
}

/// Whether `node` or a constant factor before it may change signs.
bool follows_changed_signs(const ir::Node& node) {
  const ir::Node* const factor = find_before(node, may_change_signs, [](const ir::Node& at) {
    const bool is_fused = (is_elementwise(at) || moves_elements(at)) && !at.is(ops::Convert);
    return is_fused ? variable_operand(at) : ir::Value{};
  });
  return factor != nullptr;
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
                            (reader.inputs().size() == 1 || constant_operand(reader));
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

/// Whether a Reshape divides the elements of each batch into as many channels in another way.
bool regroups_channels(ir::ReshapeView reshape) {
  const ir::PartialShape& from = reshape.data().shape();
  const ir::PartialShape& to = reshape.output(0).shape;
  if (from.is_static() || !to.has_rank() || to.rank() < 2) return false;
  const auto size = channel_size(from);
  return !ir::is_identical(from[0], to[0]) && !(size && size == channel_size(to));
}

/// Fault::quantized_regrouped_channels.
bool precedes_regrouped_channels(const ir::Node& node) {
  if (scaled_axes(node) != std::vector<std::size_t>{1}) return false;
  const std::vector<const ir::Node*> chain = chain_after(node);
  const ir::Node& last = chain.empty() ? node : *chain.back();
  return std::ranges::any_of(last.output(0).uses, [](const ir::Use& use) {
    const auto reshape = ir::match<ir::ReshapeView>(*use.node);
    return reshape && regroups_channels(*reshape);
  });
}

/// Fault::quantized_concat_factors.
bool is_scaled_concat(ir::FakeQuantizeView quantize) {
  constexpr int kMostNodes = 9;
  const ir::Node& source = *quantize.data().node;
  const auto is_other = [](const ir::Node& at) { return !is_elementwise(at); };
  const ir::Node* const concat = find_before(source, is_other, variable_operand, kMostNodes);
  return concat != nullptr && concat != &source && concat->is(ops::Concat) &&
         std::ranges::any_of(chain_until_conversion(quantize), [](const ir::Node* reader) {
           const std::vector<std::size_t> axes = scaled_axes(*reader);
           return reader->is_one_of(kFactors) && !axes.empty() && axes.back() > 1;
         });
}

}  // namespace

Workaround separate_quantized_channels() {
  return {
      .summary =
          "Keeps quantised operations apart of which OpenVINO would move the scales of channels wrongly",
      .stages = {
          {Stage::kernels,
           {separating_row<precedes_constant_of_another_axis>(
                Fault::quantized_axis_constants,
                {ops::Concat, ops::Convolution, ops::Divide, ops::FakeQuantize, ops::GroupConvolution,
                 ops::Multiply},
                kIfQuantized),
            separating_row<scales_before_quantization>(Fault::quantized_channel_factors, kFactors,
                                                       kIfQuantized),
            separating_row<precedes_quantized_clamp>(Fault::quantized_clamp_channels, kSums, kIfQuantized),
            separating_row<is_scaled_concat>(Fault::quantized_concat_factors, {ops::FakeQuantize}),
            separating_row<precedes_quantization>(Fault::quantized_dynamic_channels,
                                                  arithmetic_and_quantization(), kIfQuantized),
            separating_row<precedes_regrouped_channels>(Fault::quantized_regrouped_channels,
                                                        arithmetic_and_quantization(), kIfQuantized)}}}};
}

}  // namespace onnx2ir::passes
