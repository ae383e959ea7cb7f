// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
//
// Scales and zero points are per tensor (10), per index of one axis (13), or per block along it (21); 19 adds
// float8, 21 and later versions add types of fewer bits.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/quantization_steps.hpp"
#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Repeats each element of a blocked parameter `block` times along `axis`, truncated to the size of `x`. A
/// single block broadcasts.
Value repeat_blocks(NodeContext& node, Value parameter, Value x, std::int64_t axis, std::int64_t block) {
  const std::int64_t rank = node.rank(x);
  if (parameter.shape()[static_cast<std::size_t>(axis)] == ir::Dimension(1)) return parameter;
  std::vector<std::int64_t> repeats(static_cast<std::size_t>(rank) + 1, 1);
  repeats[static_cast<std::size_t>(axis) + 1] = block;
  const Value tiled = node.op(ops::Tile, {unsqueeze(node, parameter, {axis + 1}), node.integers(repeats)});
  Values sizes;
  for (std::int64_t i = 0; i < rank; ++i) {
    sizes.push_back(i == axis ? node.integers({-1}) : dimension_of(node, parameter, i));
  }
  const Value repeated = reshape(node, tiled, concat(node, sizes));
  const Value begin = node.integers({0});
  return slice(node, repeated, begin, dimension_of(node, x, axis), axis);
}

/// A scale or zero point of one element as an f32 scalar.
Value convert_single(NodeContext& node, Value parameter) {
  if (parameter.node->constant() != nullptr && parameter.shape().element_count() == 1)
    parameter = reshape_constant(node, parameter, {});
  return require_scalar(node, convert(node, parameter, ElementType::f32), "a scale or zero point");
}

/// A scale or zero point as f32, in a shape that broadcasts to `x`.
Value reshape_parameter(NodeContext& node, Value parameter, Value x) {
  const std::int64_t rank = node.rank(parameter);
  const std::int64_t data_rank = node.rank(x);
  if (rank == 0 || data_rank == 0) return convert_single(node, parameter);
  if (rank == 1 && parameter.shape()[0] == ir::Dimension(1)) return convert_single(node, parameter);
  // A scalar is valid for any axis.
  const std::int64_t axis = node.axis(node.integer_attribute("axis", 1), data_rank);
  const std::int64_t block = node.integer_attribute("block_size", 0);
  if (block > 0 && rank == data_rank)
    return repeat_blocks(node, convert(node, parameter, ElementType::f32), x, axis, block);
  if (rank != 1) node.fail("scales and zero points must be scalars or vectors unless blocks have a size");
  if (parameter.node->constant() != nullptr) {
    // Of full rank, the form of compressed weights.
    const auto sizes = shape_along(axis, data_rank, *parameter.shape().element_count());
    return convert(node, reshape_constant(node, parameter, sizes), ElementType::f32);
  }
  return add_unit_dimensions(node, convert(node, parameter, ElementType::f32), 0, data_rank - axis - 1);
}

/// The type of a QuantizeLinear without zero point: attribute output_dtype (21), by default u8.
ElementType declared_type(const NodeContext& node) {
  const std::int64_t type = node.integer_attribute("output_dtype", 0);
  return type == 0 ? ElementType::u8 : node.element_type(type);
}

Values quantize_linear_10(NodeContext& node) {
  using Input = inputs::QuantizeLinear;
  const Value input = node.input(Input::x);
  const Value zero_point = node.optional_input(Input::y_zero_point);
  const ElementType type = zero_point ? zero_point.type() : declared_type(node);
  const Value x = convert(node, input, ElementType::f32);
  const Value scale = reshape_parameter(node, node.input(Input::y_scale), input);
  if (ir::is_floating(type)) {
    return {convert_to_small_float(node, divide(node, x, scale), type)};
  }
  const Value offset = zero_point ? reshape_parameter(node, zero_point, input) : Value{};
  return {quantize(node, x, {scale, offset}, type)};
}

/// Splits the axis of constant weights with equal blocks into (blocks, block).
struct Blocks {
  std::vector<std::int64_t> split;   ///< the shape of the weights with the axis split
  std::vector<std::int64_t> scales;  ///< the shape of scales and zero points
};

std::optional<Blocks> blocks_of(const NodeContext& node, Value x, Value scale, Value zero_point) {
  const std::int64_t block = node.integer_attribute("block_size", 0);
  const auto sizes = x.shape().sizes();
  const auto scale_sizes = scale.shape().sizes();
  if (block < 1 || x.node->constant() == nullptr || !sizes || !scale_sizes) return std::nullopt;
  if (sizes->empty() || sizes->size() != scale_sizes->size()) return std::nullopt;
  if (zero_point && zero_point.shape().sizes() != scale_sizes) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(sizes->size());
  const auto axis = static_cast<std::size_t>(node.axis(node.integer_attribute("axis", 1), rank));
  ir::Integers expected = *sizes;
  if (expected[axis] % block != 0) return std::nullopt;
  expected[axis] /= block;
  if (expected != *scale_sizes) return std::nullopt;
  Blocks blocks{.split = sizes->unchecked(), .scales = expected.unchecked()};
  const auto after = static_cast<std::ptrdiff_t>(axis) + 1;
  blocks.split[axis] = expected[axis];
  blocks.split.insert(blocks.split.begin() + after, block);
  blocks.scales.insert(blocks.scales.begin() + after, 1);
  return blocks;
}

/// Weights in blocks, in the form that stays compressed: scales are not repeated.
Value dequantize_blocks(NodeContext& node, const Blocks& blocks) {
  using Input = inputs::DequantizeLinear;
  const Value x = node.input(Input::x);
  const auto parameter = [&](Value value) {
    return convert(node, reshape_constant(node, value, blocks.scales), ElementType::f32);
  };
  const Value zero_point = node.optional_input(Input::x_zero_point);
  const Value offset = zero_point ? parameter(zero_point) : Value{};
  const Value product = dequantize(node, reshape_constant(node, x, blocks.split),
                                   {parameter(node.input(Input::x_scale)), offset});
  return reshape(node, product, x.shape().sizes()->unchecked());
}

Values dequantize_linear_10(NodeContext& node) {
  using Input = inputs::DequantizeLinear;
  const Value x = node.input(Input::x);
  const Value scale = node.input(Input::x_scale);
  const Value zero_point = node.optional_input(Input::x_zero_point);
  const std::int64_t requested = node.integer_attribute("output_dtype", 0);
  const ElementType type = requested == 0 ? scale.type() : node.element_type(requested);
  if (const auto blocks = blocks_of(node, x, scale, zero_point)) {
    return {convert(node, dequantize_blocks(node, *blocks), type)};
  }
  const Value offset =
      zero_point && !ir::is_floating(x.type()) ? reshape_parameter(node, zero_point, x) : Value{};
  return {convert(node, dequantize(node, x, {reshape_parameter(node, scale, x), offset}), type)};
}

/// DynamicQuantizeLinear 11. The integers are marked, so that products can be computed on x
/// (leave_rounding_to_runtime). With exact quantisation it is expanded into the function body that ONNX
/// defines.
Values dynamic_quantize_linear_11(NodeContext& node) {
  const Value x = node.input(0);
  const auto [scale, zero_point] = compute_grid(node, x);
  const Value steps = round_to_even(node, divide_before_rounding(node, x, scale));
  const Value shifted = clamp_to_bytes(node, node.op(ops::Add, {steps, zero_point}));
  const Value integers =
      node.op(ops::Convert, {shifted}, {{"destination_type", ElementType::u8}, {"covers_range", true}});
  return {integers, scale, convert(node, zero_point, ElementType::u8)};
}

}  // namespace

std::vector<TranslatorRow> quantization_translators() {
  return {
      {"QuantizeLinear", 10, quantize_linear_10},
      {"DequantizeLinear", 10, dequantize_linear_10},
      {.name = "DynamicQuantizeLinear",
       .since = 11,
       .translate = dynamic_quantize_linear_11,
       .is_for_fast_quantization = true},
  };
}

}  // namespace onnx2ir::frontend
