// Recognises quantised weights: (integers - zero points) * scales, as DequantizeLinear and MatMulNBits
// become.
#pragma once

#include <functional>
#include <optional>

#include "ir/builder.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Multiply(Subtract(Convert(data), zero point), scale) of constants.
struct DequantizedWeights {
  ir::Node* product;  ///< the Multiply
  ir::Value widened;  ///< its input that is no scale: the Subtract, or the Convert if there is no zero point
  ir::Value data;     ///< a constant of integers of up to 8 bits
  ir::Value zero_point;  ///< input 1 of the Subtract; null if there is none
  ir::Value scale;
};

/// The constant behind `value`, or behind the Convert that it is; null if there is none.
ir::Node* constant_behind(ir::Value value);

std::optional<DequantizedWeights> dequantized_weights(ir::Value value);

/// Whether `convert` widens a zero point of constants of up to 8 bits and does nothing else. As an integer
/// the CPU plugin keeps it beside compressed weights.
bool widens_zero_point(const ir::Node& convert);

/// The right input of a MatMul if it is quantised weights, and how they get there.
struct WeightsOfProduct {
  DequantizedWeights weights;
  /// Whether the MatMul takes [outputs, inputs]. Otherwise it takes [inputs, outputs].
  bool is_transposed;
  /// The Reshape that joins blocks; null if there is none.
  const ir::Node* reshape;
};

std::optional<WeightsOfProduct> weights_of(const ir::Node& mat_mul);

/// Offers the weights of every product to `edit(builder, weights)`, which returns whether it changed them;
/// what the builder emits has the name of their Multiply. Returns whether anything was changed.
bool edit_weights(ir::Model& model,
                  const std::function<bool(ir::Builder& builder, const WeightsOfProduct& weights)>& edit);

}  // namespace onnx2ir::passes
