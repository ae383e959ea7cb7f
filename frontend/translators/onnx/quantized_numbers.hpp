// Numbers that are stored as integers, and back. With --quantization fast they have the form of
// docs/quantised-models.md, which becomes integer kernels; with exact they are rounded as onnxruntime rounds
// them.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// How integers represent numbers: number = (integer - zero_point) * scale.
struct Grid {
  Value scale;       ///< f32, in a shape that broadcasts to the tensor
  Value zero_point;  ///< f32, in a shape that broadcasts to the tensor; null: 0
};

/// The grid of inputs `scale` and `zero_point`, which may be absent, for a tensor of rank `rank` that may
/// have a scale for each index of `axis`. By default it has one scale.
Grid read_grid(NodeContext& node, std::size_t scale, std::size_t zero_point, std::int64_t axis = 0,
               std::int64_t rank = 1);

/// A scale or zero point, a scalar or one for each index of `axis` of a tensor of rank `rank`, in a shape
/// that broadcasts to the tensor. Null for null.
Value reshape_along_axis(NodeContext& node, Value parameter, std::int64_t axis, std::int64_t rank);

/// Numbers as `type`, an integer type; those beyond its limits become the limits.
Value saturate(Builder& builder, Value numbers, ElementType type);

/// Whether `value` is a constant, which may be converted, and all its elements are 0.
bool is_zero(Value value);

/// Integers minus their zero point (null: 0), as f32, in which products of 8-bit numbers are exact.
Value subtract_zero_point(Builder& builder, Value integers, Value zero_point);

/// Whether the node is computed by integer kernels: with --quantization fast, if its scales and zero points,
/// the inputs `parameters`, are constants.
bool has_integer_kernels(NodeContext& node, std::initializer_list<std::size_t> parameters);

/// Integers of any type as f32 numbers.
Value dequantize(NodeContext& node, Value integers, const Grid& grid);

/// A bias, quantised with the product of the scale of the input and that of the weights, the input `scale` of
/// the node, as f32 numbers.
Value dequantize_bias(NodeContext& node, Value bias, const Grid& of_input, std::size_t scale,
                      std::size_t zero_point);

/// The grid of DynamicQuantizeLinear for f32 numbers: 256 steps between 0 and their extremes.
Grid compute_grid(NodeContext& node, Value numbers);
/// `steps` limited to the 256 steps of this grid.
Value clamp_to_bytes(Builder& builder, Value steps);

/// x / scale, to be rounded to an integer: no rounding error moves it across the midpoint between two
/// integers.
Value divide_before_rounding(NodeContext& node, Value x, Value scale);
/// f32 numbers as integers of `type`: saturate(round(number / scale) + zero point). Fails if `type` is not an
/// integer type.
Value quantize(NodeContext& node, Value numbers, const Grid& grid, ElementType type);
/// The same with the grid of inputs `scale` and `zero_point`, as integers of the type of input `like`.
Values quantize_like(NodeContext& node, std::size_t like, Value numbers, std::size_t scale,
                     std::size_t zero_point);

}  // namespace onnx2ir::frontend
