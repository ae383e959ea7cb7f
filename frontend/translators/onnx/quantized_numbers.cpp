// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear, and steps that other quantised operators share
// with them.
//
// Scales and zero points are per tensor (10), per index of one axis (13), or per block along it (21); 19 adds
// float8, 21 and later versions add types of fewer bits.
#include "frontend/translators/onnx/quantized_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/element_type.hpp"
#include "target/faults.hpp"

namespace onnx2ir::frontend {
namespace {

/// The numbers of a constant that may be converted to f32.
std::optional<ir::Numbers> constant_numbers(Value value) {
  return ir::exact_numbers(value.node->is(ops::Convert) ? value.node->input(0) : value);
}

/// The numbers that the lowest and the highest integer represent.
struct NumberRange {
  std::vector<std::int64_t> shape;
  std::vector<double> low;
  std::vector<double> high;
};

/// No value if the grid is dynamic, if a scale is not positive, or if it is so small or large that a bound
/// may be subnormal or infinite.
std::optional<NumberRange> bounds_of(const Grid& grid, const ir::IntegerLimits& limits) {
  const auto scales = constant_numbers(grid.scale);
  const auto zero_points = grid.zero_point ? constant_numbers(grid.zero_point) : ir::Numbers{0.0};
  if (!scales || !zero_points || scales->empty() || zero_points->empty()) return std::nullopt;
  const std::size_t count = std::max(scales->size(), zero_points->size());
  if ((scales->size() != count && scales->size() != 1) ||
      (zero_points->size() != count && zero_points->size() != 1))
    return std::nullopt;
  NumberRange bounds;
  bounds.shape = (scales->size() == count ? grid.scale : grid.zero_point).shape().sizes()->unchecked();
  for (std::size_t i = 0; i < count; ++i) {
    const double scale = (*scales)[scales->size() == 1 ? 0 : i];
    const double zero_point = (*zero_points)[zero_points->size() == 1 ? 0 : i];
    constexpr double kLeast = std::numeric_limits<float>::min();
    constexpr double kMost = std::numeric_limits<float>::max() / (1 << 9);
    if (!(scale >= kLeast) || scale > kMost) return std::nullopt;
    bounds.low.push_back((limits.low - zero_point) * scale);
    bounds.high.push_back((limits.high - zero_point) * scale);
  }
  return bounds;
}

/// Whether the CPU plugin has a kernel for bounds of this shape: single ones, or one per channel (axis 1).
bool is_per_channel(const std::vector<std::int64_t>& shape, std::size_t rank) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 && i + rank != shape.size() + 1) return false;
  }
  return true;
}

/// One FakeQuantize, or null if the CPU plugin has no kernel for it.
Value emit_fake_quantize(NodeContext& node, Value numbers, const Grid& grid, ElementType type) {
  if (ir::info(type).bits != 8) return {};
  const ir::IntegerLimits limits = ir::limits_of(type);
  const auto bounds = bounds_of(grid, limits);
  if (!bounds) return {};
  if (bounds->low.size() > 1 &&
      (!numbers.shape().has_rank() || !is_per_channel(bounds->shape, numbers.shape().rank())))
    return {};
  const Value low = node.numbers(bounds->low, bounds->shape, ElementType::f32);
  const Value high = node.numbers(bounds->high, bounds->shape, ElementType::f32);
  const Value lowest = node.number(limits.low, ElementType::f32);
  const Value highest = node.number(limits.high, ElementType::f32);
  const Value rounded = node.op(ops::FakeQuantize, {numbers, low, high, lowest, highest}, {{"levels", 256}});
  return convert(node, rounded, type);
}

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

/// The type in attribute output_dtype (QuantizeLinear 21, DequantizeLinear 23), or `absent`.
ElementType output_type(const NodeContext& node, ElementType absent) {
  const std::int64_t type = node.integer_attribute("output_dtype", 0);
  return type == 0 ? absent : node.element_type(type);
}

/// Constant weights as integers of 8 bits, rounded as onnxruntime rounds them. Null if `x`, the scale or the
/// zero point is not constant, or has another type.
Value quantize_weights(NodeContext& node, Value x, Value scale, Value zero_point, ElementType type) {
  const ir::ConstantData* const data = x.node->constant();
  const auto sizes = x.shape().sizes();
  const bool has_bytes = type == ElementType::i8 || type == ElementType::u8;
  if (data == nullptr || x.type() != ElementType::f32 || !sizes || !has_bytes ||
      node.integer_attribute("block_size", 0) != 0 || node.integer_attribute("precision", 0) != 0)
    return {};
  const auto scales = ir::exact_numbers(scale);
  const auto zero_points = zero_point ? ir::exact_numbers(zero_point) : ir::Numbers{0};
  if (!scales || !zero_points || scales->empty() || (zero_point && zero_points->size() != scales->size()))
    return {};
  std::vector<std::byte> integers(data->size() / sizeof(float));
  std::size_t length = integers.size();  // of the elements in a row that have the same scale
  if (scales->size() > 1) {
    const auto axis = static_cast<std::size_t>(node.axis(node.integer_attribute("axis", 1), node.rank(x)));
    if (std::cmp_not_equal((*sizes)[axis], scales->size())) return {};
    length = 1;
    for (std::size_t i = axis + 1; i < sizes->size(); ++i) length *= static_cast<std::size_t>((*sizes)[i]);
  }
  const ir::IntegerLimits limits = ir::limits_of(type);
  const auto bytes = data->bytes();
  for (std::size_t begin = 0, row = 0; begin < integers.size(); begin += length, ++row) {
    const auto step = static_cast<float>((*scales)[row % scales->size()]);
    const double offset = (*zero_points)[row % zero_points->size()];
    for (std::size_t i = begin; i < begin + length; ++i) {
      float number = 0;
      std::memcpy(&number, bytes.span().data() + i * sizeof(float), sizeof(float));
      const float steps = std::nearbyint(number / step);
      if (std::isnan(steps)) return {};
      const double limited = std::clamp<double>(double{steps} + offset, limits.low, limits.high);
      integers[i] = static_cast<std::byte>(static_cast<std::int64_t>(limited));
    }
  }
  return node.constant(type, *sizes, ir::ConstantData(std::move(integers)));
}

Values quantize_linear_10(NodeContext& node) {
  using Input = inputs::QuantizeLinear;
  const Value input = node.input(Input::x);
  const Value zero_point = node.optional_input(Input::y_zero_point);
  const ElementType type = zero_point ? zero_point.type() : output_type(node, ElementType::u8);
  if (const Value weights = quantize_weights(node, input, node.input(Input::y_scale), zero_point, type))
    return {weights};
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
  const ElementType type = output_type(node, scale.type());
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

Value reshape_along_axis(NodeContext& node, Value parameter, std::int64_t axis, std::int64_t rank) {
  if (!parameter || parameter.shape().is_scalar()) return parameter;
  if (parameter.shape().element_count() == 1) {
    return parameter.node->constant() != nullptr ? reshape_constant(node, parameter, {}) : parameter;
  }
  if (axis < 0 || axis >= rank) node.fail("a scalar cannot have a scale for each index of an axis");
  return reshape_constant(node, parameter,
                          shape_along(axis, rank, parameter.shape().element_count().value_or(-1)));
}

bool is_zero(Value value) {
  const Value source = value.node->is(ops::Convert) ? value.node->input(0) : value;
  const ir::ConstantData* const data = source.node->constant();
  return data != nullptr &&
         std::ranges::all_of(data->bytes().span(), [](std::byte byte) { return byte == std::byte{0}; });
}

Grid read_grid(NodeContext& node, std::size_t scale, std::size_t zero_point, std::int64_t axis,
               std::int64_t rank) {
  const auto parameter = [&](Value value) {
    return value ? convert(node, reshape_along_axis(node, value, axis, rank), ElementType::f32) : value;
  };
  const Value of_scale = parameter(node.input(scale));
  return {of_scale, parameter(node.optional_input(zero_point))};
}

Value saturate(Builder& builder, Value numbers, ElementType type) {
  const ir::IntegerLimits limits = ir::limits_of(type);
  return convert(builder, builder.op(ops::Clamp, {numbers}, {{"min", limits.low}, {"max", limits.high}}),
                 type);
}

Value subtract_zero_point(Builder& builder, Value integers, Value zero_point) {
  const Value numbers = convert(builder, integers, ElementType::f32);
  if (!zero_point) return numbers;
  return builder.op(ops::Subtract, {numbers, convert(builder, zero_point, ElementType::f32)});
}

bool has_integer_kernels(NodeContext& node, std::initializer_list<std::size_t> parameters) {
  return !node.has_exact_quantization() && std::ranges::all_of(parameters, [&](std::size_t index) {
    return !node.has_input(index) || node.input(index).node->constant() != nullptr;
  });
}

Value dequantize(NodeContext& node, Value integers, const Grid& grid) {
  const bool is_constant = integers.node->constant() != nullptr;
  Value numbers = convert(node, integers, ElementType::f32);
  if (grid.zero_point && !is_zero(grid.zero_point)) {
    numbers = node.op(ops::Subtract, {numbers, grid.zero_point});
    // Integer kernels are for 8 bits: see passes/workarounds/hide_misread_weights.cpp. Of other numbers, the
    // IR does not tell that they are quantised.
    const bool is_separate = node.has_exact_quantization() || ir::info(integers.type()).bits != 8;
    if (!is_constant && is_separate && node.target().has(Fault::reassociated_zero_point)) {
      // All differences are in this range: the Clamp only keeps OpenVINO from fusing the two operations.
      constexpr double kFar = std::numeric_limits<float>::max();
      numbers = node.op(ops::Clamp, {numbers}, {{"min", -kFar}, {"max", kFar}});
    }
  }
  return node.op(ops::Multiply, {numbers, grid.scale}, {{"dequantizes", true}});
}

Value dequantize_bias(NodeContext& node, Value bias, const Grid& of_input, std::size_t scale,
                      std::size_t zero_point) {
  const Value product = node.op(ops::Multiply, {of_input.scale, read_grid(node, scale, zero_point).scale});
  return dequantize(node, bias, {product, {}});
}

Value clamp_to_bytes(Builder& builder, Value steps) {
  return builder.op(ops::Clamp, {steps}, {{"min", 0.0}, {"max", 255.0}});
}

Grid compute_grid(NodeContext& node, Value numbers) {
  const Value all = flatten(node, numbers);
  const auto number = [&](double value) { return node.number_like(value, numbers); };
  const auto extreme = [&](ir::Op reduction, ir::Op choice) {
    const Value found = reduce(node, reduction, all, {0});
    return node.op(choice, {found, number(0)});
  };
  const Value low = extreme(ops::ReduceMin, ops::Minimum);
  const Value high = extreme(ops::ReduceMax, ops::Maximum);
  const Value range = node.op(ops::Subtract, {high, low});
  const Value is_flat = node.op(ops::Equal, {range, number(0)});
  const Value step = divide(node, range, number(255));
  const Value scale = node.op(ops::Select, {is_flat, number(1), step});
  const Value offset = node.op(ops::Subtract, {number(0), divide_exactly(node, low, scale)});
  return {scale, round_to_even(node, clamp_to_bytes(node, offset))};
}

Value quantize(NodeContext& node, Value numbers, const Grid& grid, ElementType type) {
  if (!ir::is_integral(type)) node.fail("numbers cannot be quantized to " + std::string(ir::info(type).name));
  if (!node.has_exact_quantization()) {
    if (const Value result = emit_fake_quantize(node, numbers, grid, type)) return result;
  }
  Value result = round_to_even(node, divide_before_rounding(node, numbers, grid.scale));
  if (grid.zero_point) result = node.op(ops::Add, {result, grid.zero_point});
  return saturate(node, result, type);
}

Values quantize_like(NodeContext& node, std::size_t like, Value numbers, std::size_t scale,
                     std::size_t zero_point) {
  return {quantize(node, numbers, read_grid(node, scale, zero_point), node.input(like).type())};
}

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
