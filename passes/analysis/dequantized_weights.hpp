// Recognises quantised weights: (integers - zero points) * scales. The front end translates DequantizeLinear
// and MatMulNBits to this form. Also reads and sets the model's option for the rounding of inputs that are
// multiplied with such weights.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.hpp"
#include "ir/views/unary.hpp"

namespace onnx2ir::passes {

/// Multiply(Subtract(Convert(data), zero point), scale). The data is a constant, and the scale is computed
/// from constants.
struct DequantizedWeights {
  ir::Node* product;  ///< the Multiply
  ir::Value
      widened;     ///< its other input besides the scale: the Subtract, or the Convert without a zero point
  ir::Value data;  ///< a constant of integers of up to 8 bits
  ir::Value zero_point;  ///< input 1 of the Subtract; null without a zero point
  ir::Value scale;
};

/// `value` if it is a constant, or the constant that it converts; null for other values.
ir::Node* source_constant(ir::Value value);
/// The number of such a constant of one element.
std::optional<double> source_number(ir::Value value);

std::optional<DequantizedWeights> dequantized_weights(ir::Value value);

/// The FakeQuantize that rounds output 0 of `node` to integers of up to 8 bits. Operations between them are
/// passed over if runtimes compute them with integers. Null if there is no such FakeQuantize.
const ir::Node* quantization_of(const ir::Node& node);
inline const ir::Node* quantization_of(ir::Value value) {
  return quantization_of(*value.node);
}

inline bool is_quantized(ir::Value value) {
  return quantization_of(value) != nullptr;
}

/// Integers that are converted to another type, where a zero point may be subtracted from them.
struct ConvertedIntegers {
  ir::Value integers;
  ir::Value zero_point;  ///< null without a zero point
};

/// Those that are output 0 of `node`.
std::optional<ConvertedIntegers> converted_integers(const ir::Node& node);
inline std::optional<ConvertedIntegers> converted_integers(ir::Value value) {
  return converted_integers(*value.node);
}

/// Whether OpenVINO may take output 0 of `node` for quantised numbers: a FakeQuantize rounds it, or it is
/// integers of any type, converted and scaled.
bool holds_integers(const ir::Node& node);
inline bool holds_integers(ir::Value value) {
  return holds_integers(*value.node);
}

/// Follows `node` back through sums and products with constants, and through operations that move elements.
/// Returns the first node that holds integers, otherwise the last node of this path.
const ir::Node& scaled_source(const ir::Node& node);

/// The node whose integers (holds_integers) sums and products with constants scale and shift to output 0 of
/// `node`, or `node` itself: OpenVINO makes the constants parts of scales and zero points, also through
/// operations that move elements. The result is null if `node` does not come from such integers.
const ir::Node* integers_of(const ir::Node& node);

/// Whether output 0 of `node` is a step of the computation of quantised weights from constants of at most 8
/// bits: the result of the Convert, the Subtract, the Multiply, or of a few operations that only move the
/// weights. The runtime keeps such weights as integers.
bool computes_weights(const ir::Node& node);

/// Whether `node` only widens a zero point stored in at most 8 bits. The CPU plugin keeps integer zero
/// points beside compressed weights.
bool widens_zero_point(const ir::Node& node);

/// The quantised weights that are the right input of a MatMul, and the operations between them.
struct WeightsOfProduct {
  DequantizedWeights weights;
  /// Whether the MatMul takes [outputs, inputs]. Otherwise it takes [inputs, outputs].
  bool is_transposed;
  /// The Reshape that joins blocks; null if the weights have no blocks.
  const ir::Node* reshape;
};

std::optional<WeightsOfProduct> weights_of(const ir::Node& mat_mul);
/// The axis of the stored weights along which the inputs are, or those of one block. The weights have at
/// least two axes.
inline std::size_t axis_of_inputs(const WeightsOfProduct& found) {
  return found.weights.data.shape().rank() - (found.is_transposed ? 1 : 2);
}

/// The CPU plugin rounds the inputs of a product with quantised weights to 8 bits, with one scale for each
/// group of this many inputs, if the model does not set another size.
constexpr std::int64_t kDefaultRoundingGroup = 32;

bool sets_rounding_groups(const ir::Model& model);
/// `size`: 0 turns the rounding off.
void set_rounding_groups(ir::Model& model, std::int64_t size);

}  // namespace onnx2ir::passes
