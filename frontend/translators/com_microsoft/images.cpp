// Operators on images: convolutions, pooling and normalisations with channels in the last axis, crops.
#include <limits>

#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

Values nhwc_conv(NodeContext& node) {
  using Input = inputs::microsoft::NhwcConv;
  const Operands inputs{move_channels_first(node, node.input(Input::X)),
                        move_channels_first(node, node.input(Input::W)), node.operand(Input::B)};
  return {move_channels_last(node, translate_as(node, "Conv", 11, inputs).front())};
}

Values nhwc_max_pool(NodeContext& node) {
  const Value x = move_channels_first(node, node.input(0));
  return {move_channels_last(node, translate_as(node, "MaxPool", 12, {x}).front())};
}

/// MaxpoolWithMask: ignores pixels whose mask is 0. onnxruntime also ignores the pixels after them in the row
/// of a window, which is the same for masks with ones before zeros.
Values max_pool_with_mask(NodeContext& node) {
  const Value x = node.input(0);
  const Value is_hidden = node.op(ops::Equal, {node.input(1), node.number_like(0, node.input(1))});
  const Value lowest = node.number_like(std::numeric_limits<float>::lowest(), x);
  return translate_as(node, "MaxPool", 12, {node.op(ops::Select, {is_hidden, lowest, x})});
}

/// Normalises groups of channels to mean 0 and deviation 1 and scales each channel; attribute activation 1
/// means SiLU.
Value normalize_groups(NodeContext& node, Value x, bool channels_last) {
  if (channels_last)
    return move_channels_last(node, normalize_groups(node, move_channels_first(node, x), false));
  using Input = inputs::microsoft::GroupNorm;
  const Value gamma = convert(node, node.input(Input::gamma), x.type());
  const Value beta = convert(node, node.input(Input::beta), x.type());
  const Value y = node.op(
      ops::GroupNormalization, {x, gamma, beta},
      {{"num_groups", node.integer_attribute("groups")}, {"epsilon", node.real_attribute("epsilon", 1e-5F)}});
  return node.integer_attribute("activation", 0) == 1 ? node.op(ops::Swish, {y}) : y;
}

Values group_norm(NodeContext& node) {
  using Input = inputs::microsoft::GroupNorm;
  return {normalize_groups(node, node.input(Input::X), node.flag_attribute("channels_last", true))};
}

/// SkipGroupNorm: GroupNorm of the sum of input, skip and bias; the sum is also an output.
Values skip_group_norm(NodeContext& node) {
  using Input = inputs::microsoft::SkipGroupNorm;
  const Value x = node.input(Input::X);
  const bool is_last = node.flag_attribute("channels_last", true);
  Value skip = node.input(Input::skip);
  if (node.rank(skip) == 2)
    skip = unsqueeze(node, skip, is_last ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{2, 3});
  Value sum = node.op(ops::Add, {x, skip});
  if (Value bias = node.optional_input(Input::bias)) {
    if (!is_last) bias = unsqueeze(node, bias, {1, 2});
    sum = node.op(ops::Add, {sum, bias});
  }
  return {normalize_groups(node, sum, is_last), sum};
}

/// BiasAdd: input + bias + skip.
Values bias_add(NodeContext& node) {
  using Input = inputs::microsoft::BiasAdd;
  return {node.op(ops::Add, {node.op(ops::Add, {node.input(Input::X), node.input(Input::bias)}),
                             node.input(Input::skip)})};
}

/// BiasSplitGelu: the left half of input + bias times the Gelu of the right half.
Values bias_split_gelu(NodeContext& node) {
  const Value sum = node.op(ops::Add, {node.input(0), node.input(1)});
  const std::int64_t last = node.rank(sum) - 1;
  ir::Node& halves = node.node(ops::Split, {sum, node.integer(last)}, {{"num_splits", 2}}, 2);
  const Value gate = node.op(ops::Gelu, {halves.value(1)}, {{"approximation_mode", "ERF"}});
  return {node.op(ops::Multiply, {halves.value(0), gate})};
}

/// A crop along one axis of an image: `count` positions from `low` to `high`, fractions of `size` pixels.
struct CroppedAxis {
  Value low, high, count, size;
};

/// The positions [R, n] of the pixels of a crop along an axis.
Value compute_crop_places(NodeContext& node, const CroppedAxis& axis) {
  const auto& [low, high, count, size] = axis;
  const auto number = [&](double value) { return node.number(value, ElementType::f32); };
  const Value last = node.op(ops::Subtract, {size, node.number_like(1, size)});
  const Value numbers = emit_range(node, count, ElementType::f32);
  const Value gaps = node.op(ops::Maximum, {node.op(ops::Subtract, {count, number(1)}), number(1)});
  // The last number divided by the gaps is exactly 1, so that rounding does not move the last pixel of a crop
  // that ends at the border out of the image.
  const Value whole = node.op(ops::Multiply, {node.op(ops::Subtract, {high, low}), last});
  const Value offset = node.op(ops::Multiply, {whole, divide(node, numbers, gaps)});
  const Value spread = node.op(ops::Add, {node.op(ops::Multiply, {low, last}), offset});
  const Value middle =
      node.op(ops::Multiply, {node.op(ops::Add, {low, high}), node.op(ops::Multiply, {last, number(0.5)})});
  const Value is_one = node.op(ops::LessEqual, {count, number(1)});
  return node.op(ops::Select, {is_one, middle, spread});
}

/// CropAndResize: crops boxes [y1, x1, y2, x2] (fractions of the image) and resizes all of them to one size.
Values crop_and_resize(NodeContext& node) {
  using Input = inputs::microsoft::CropAndResize;
  const Value x = node.input(Input::X);
  const Value boxes = convert(node, node.input(Input::rois), ElementType::f32);
  const auto number = [&](double value) { return node.number(value, ElementType::f32); };
  const std::string mode = node.text_attribute("mode", "bilinear");
  if (mode != "bilinear" && mode != "nearest") node.fail("mode '" + mode + "' does not exist");
  const Value images = convert(node, gather(node, x, node.input(Input::batch_indices)), ElementType::f32);
  const auto edge = [&](std::int64_t which) { return gather(node, boxes, node.integers({which}), 1); };
  const auto count = [&](std::int64_t which) {
    return convert(node, gather(node, node.input(Input::crop_size), node.integer(which)), ElementType::f32);
  };
  const auto size = [&](std::int64_t axis) {
    return convert(node, size_of(node, x, axis), ElementType::f32);
  };
  const auto outside = [&](Value places, Value length) {
    const Value last = node.op(ops::Subtract, {length, number(1)});
    return node.op(ops::LogicalOr,
                   {node.op(ops::Less, {places, number(0)}), node.op(ops::Greater, {places, last})});
  };
  // Positions in [-1, 1], as in GridSample, which rounds half to even; onnxruntime rounds half away from 0.
  const auto in_grid = [&](Value places, Value length) {
    if (mode == "nearest") places = node.op(ops::Floor, {node.op(ops::Add, {places, number(0.5)})});
    const Value last = node.op(ops::Maximum, {node.op(ops::Subtract, {length, number(1)}), number(1)});
    const Value twice = node.op(ops::Multiply, {places, number(2)});
    return node.op(ops::Subtract, {divide(node, twice, last), number(1)});
  };
  const Value rows = compute_crop_places(node, {edge(0), edge(2), count(0), size(2)});
  const Value columns = compute_crop_places(node, {edge(1), edge(3), count(1), size(3)});
  const Value shape = concat(
      node, {dimension_of(node, boxes, 0), dimension_of(node, rows, 1), dimension_of(node, columns, 1)});
  const auto spread = [&](Value places, std::int64_t axis) {
    return unsqueeze(node, broadcast_to(node, unsqueeze(node, places, {axis}), shape), {3});
  };
  const Value grid =
      concat(node, {spread(in_grid(columns, size(3)), 1), spread(in_grid(rows, size(2)), 2)}, 3);
  const Value sampled = node.op(ops::GridSample, {images, grid},
                                {{"align_corners", true}, {"mode", mode}, {"padding_mode", "border"}});
  const Value hidden = node.op(ops::LogicalOr, {unsqueeze(node, outside(rows, size(2)), {1, 3}),
                                                unsqueeze(node, outside(columns, size(3)), {1, 2})});
  const Value outer = number(node.real_attribute("extrapolation_value", 0));
  return {convert(node, node.op(ops::Select, {hidden, outer, sampled}), x.type())};
}

}  // namespace

std::vector<TranslatorRow> microsoft_image_translators() {
  return {
      {"NhwcConv", 1, nhwc_conv},
      {"NhwcMaxPool", 1, nhwc_max_pool},
      {"MaxpoolWithMask", 1, max_pool_with_mask, "masks with ones after zeros", "storage_order"},
      {"GroupNorm", 1, group_norm},
      {"SkipGroupNorm", 1, skip_group_norm},
      {"BiasAdd", 1, bias_add},
      {"BiasSplitGelu", 1, bias_split_gelu},
      {"CropAndResize", 1, crop_and_resize},
  };
}

}  // namespace onnx2ir::frontend
