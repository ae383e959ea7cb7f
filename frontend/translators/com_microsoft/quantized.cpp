// onnxruntime's operators on quantised tensors, computed in f32 on the dequantised numbers.
#include "frontend/translators/com_microsoft/quantized.hpp"

#include <limits>

#include "frontend/translators/com_microsoft/channels.hpp"
#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "frontend/translators/onnx/quantization_steps.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "target/faults.hpp"

namespace onnx2ir::frontend {

Value dequantized(NodeContext& node, std::size_t data, std::size_t scale, std::size_t zero_point) {
  Value x = convert(node, node.input(data), ElementType::f32);
  if (const Value zero = node.optional_input(zero_point)) {
    x = node.op(ops::Subtract, {x, convert(node, zero, ElementType::f32)});
  }
  return node.op(ops::Multiply, {x, convert(node, node.input(scale), ElementType::f32)});
}

namespace {

struct Limits {
  double low;
  double high;
};

Limits limits_of(NodeContext& node, ElementType type) {
  switch (type) {
    case ElementType::i8:
      return {-128, 127};
    case ElementType::u8:
      return {0, 255};
    case ElementType::i16:
      return {-32768, 32767};
    case ElementType::u16:
      return {0, 65535};
    default:
      node.fail("only integers of 8 and 16 bits are converted");
  }
}

Value rounded(NodeContext& node, Value x) {
  return node.op(ops::Round, {x}, {{"mode", "half_to_even"}});
}

Value clamped(NodeContext& node, Value x, ElementType type) {
  const Limits limits = limits_of(node, type);
  return convert(node, node.op(ops::Clamp, {x}, {{"min", limits.low}, {"max", limits.high}}), type);
}

}  // namespace

Value quantized(NodeContext& node, Value x, Value scale, Value zero_point, ElementType type) {
  Value result = rounded(node, quotient_to_round(node, x, convert(node, scale, ElementType::f32)));
  if (zero_point) result = node.op(ops::Add, {result, convert(node, zero_point, ElementType::f32)});
  return clamped(node, result, type);
}

namespace {

/// A quantised input without its scale: x - zero point.
Value centred(NodeContext& node, std::size_t data, std::size_t zero_point) {
  const Value x = convert(node, node.input(data), ElementType::f32);
  const Value zero = node.optional_input(zero_point);
  return zero ? node.op(ops::Subtract, {x, convert(node, zero, ElementType::f32)}) : x;
}

/// (x - zero point) * scale of an input whose result is rounded again.
Value numbers_of(NodeContext& node, std::size_t data, std::size_t scale, std::size_t zero_point) {
  Value x = centred(node, data, zero_point);
  if (node.has_input(zero_point) && node.target().has(Fault::reassociated_zero_point)) {
    // All differences are in this range: the Clamp only keeps OpenVINO from fusing the two operations.
    constexpr double kFar = std::numeric_limits<float>::max();
    x = node.op(ops::Clamp, {x}, {{"min", -kFar}, {"max", kFar}});
  }
  return node.op(ops::Multiply, {x, convert(node, node.input(scale), ElementType::f32)});
}

/// The quotient of scales, as onnxruntime computes it before it multiplies numbers.
Value ratio(NodeContext& node, Value scale) {
  return divide(node, scale, convert(node, node.input(6), ElementType::f32));
}

/// Rounds a multiple of the result's scale; some operators of onnxruntime add the zero point before.
Values rounded_with_zero_point(NodeContext& node, Value x, std::size_t zero_point) {
  if (const Value zero = node.optional_input(zero_point)) {
    x = node.op(ops::Add, {x, convert(node, zero, ElementType::f32)});
  }
  return {clamped(node, rounded(node, x), node.input(0).type())};
}

Values q_linear_add(NodeContext& node) {
  const auto summand = [&](std::size_t first) {
    const Value scale = ratio(node, convert(node, node.input(first + 1), ElementType::f32));
    return node.op(ops::Multiply, {centred(node, first, first + 2), scale});
  };
  const Value left = summand(0);
  return rounded_with_zero_point(node, node.op(ops::Add, {left, summand(3)}), 7);
}

Values q_linear_mul(NodeContext& node) {
  const auto scale = [&](std::size_t index) { return convert(node, node.input(index), ElementType::f32); };
  const Value factor = ratio(node, node.op(ops::Multiply, {scale(1), scale(4)}));
  const Value left = centred(node, 0, 2);
  const Value product = node.op(ops::Multiply, {left, centred(node, 3, 5)});
  return rounded_with_zero_point(node, node.op(ops::Multiply, {product, factor}), 7);
}

/// QLinearConcat: scale and zero point of the result come first, then each tensor with its own. Zero points
/// may be absent.
Values q_linear_concat(NodeContext& node) {
  if (node.input_count() < 4 || node.input_count() % 3 == 0)
    node.fail("each tensor needs a scale and a zero point");
  Values parts;
  for (std::size_t i = 2; i < node.input_count(); i += 3) parts.push_back(numbers_of(node, i, i + 1, i + 2));
  const std::int64_t axis = node.axis(node.integer("axis"), node.rank(node.input(2)));
  const Value all = concat(node, parts, axis);
  return {quantized(node, all, node.input(0), node.optional_input(1), node.input(2).type())};
}

/// The pooling operator `op` of ONNX on quantised images, with channels first unless `channels_last`.
Value q_linear_pool(NodeContext& node, std::string_view op, std::int64_t opset) {
  const bool channels_last = node.integer("channels_last", 0) != 0;
  const Value x = numbers_of(node, 0, 1, 2);
  const Value y = translate_as(node, op, opset, {channels_last ? with_channels_first(node, x) : x}).front();
  return channels_last ? with_channels_last(node, y) : y;
}

Values q_linear_average_pool(NodeContext& node) {
  const Value y = q_linear_pool(node, "AveragePool", 11);
  const Value scale = convert(node, node.input(3), ElementType::f32);
  return rounded_with_zero_point(node, quotient_to_round(node, y, scale), 4);
}
Values q_linear_global_average_pool(NodeContext& node) {
  const Value y = q_linear_pool(node, "GlobalAveragePool", 1);
  return {quantized(node, y, node.input(3), node.optional_input(4), node.input(0).type())};
}

/// An operation on the numbers of one input; the result's scale and zero point are inputs 3 and 4.
Values q_linear_unary(NodeContext& node, std::string_view op) {
  const Value y = translate_as(node, op, 13, {numbers_of(node, 0, 1, 2)}).front();
  return {quantized(node, y, node.input(3), node.optional_input(4), node.input(0).type())};
}

Values q_linear_sigmoid(NodeContext& node) {
  return q_linear_unary(node, "Sigmoid");
}
Values q_linear_leaky_relu(NodeContext& node) {
  return q_linear_unary(node, "LeakyRelu");
}

/// QLinearSoftmax: Softmax in the version of attribute `opset`.
Values q_linear_softmax(NodeContext& node) {
  // The default of `axis` is the last axis for each opset. Softmax has this default since opset 13.
  const std::int64_t opset = node.integer("opset");
  const Value y =
      translate_as(node, "Softmax", node.has_attribute("axis") ? opset : 13, {numbers_of(node, 0, 1, 2)})
          .front();
  return {quantized(node, y, node.input(3), node.optional_input(4), node.input(0).type())};
}

Values q_linear_where(NodeContext& node) {
  const Value chosen =
      node.op(ops::Select, {node.input(0), numbers_of(node, 1, 2, 3), numbers_of(node, 4, 5, 6)});
  return {quantized(node, chosen, node.input(7), node.optional_input(8), node.input(1).type())};
}

/// QLinearReduceMean: over `axes`, all by default.
Values q_linear_reduce_mean(NodeContext& node) {
  const Value y = translate_as(node, "ReduceMean", 13, {numbers_of(node, 0, 1, 2)}).front();
  return {quantized(node, y, node.input(3), node.optional_input(4), node.input(0).type())};
}

/// QLinearConv, also with channels in the last axis.
Values q_linear_conv(NodeContext& node) {
  Operands inputs;
  for (std::size_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.operand(i));
  const bool is_last = node.integer("channels_last", 0) != 0;
  if (is_last) inputs[0] = with_channels_first(node, node.input(0));
  const Value y = translate_as(node, "QLinearConv", 10, inputs).front();
  return {is_last ? with_channels_last(node, y) : y};
}

Values same_as_onnx(NodeContext& node, std::string_view op) {
  Operands inputs;
  for (std::size_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.operand(i));
  return translate_as(node, op, 21, inputs);
}
Values quantize_linear(NodeContext& node) {
  return same_as_onnx(node, "QuantizeLinear");
}
Values dequantize_linear(NodeContext& node) {
  return same_as_onnx(node, "DequantizeLinear");
}

}  // namespace

std::vector<TranslatorRow> microsoft_quantized_translators() {
  return {
      {"QLinearAdd", 1, q_linear_add, {}, kMicrosoft},
      {"QLinearMul", 1, q_linear_mul, {}, kMicrosoft},
      {"QLinearConcat", 1, q_linear_concat, {}, kMicrosoft},
      {"QLinearAveragePool", 1, q_linear_average_pool, {}, kMicrosoft},
      {"QLinearGlobalAveragePool", 1, q_linear_global_average_pool, {}, kMicrosoft},
      {"QLinearSigmoid", 1, q_linear_sigmoid, {}, kMicrosoft},
      {"QLinearLeakyRelu", 1, q_linear_leaky_relu, {}, kMicrosoft},
      {"QLinearSoftmax", 1, q_linear_softmax, {}, kMicrosoft},
      {"QLinearWhere", 1, q_linear_where, {}, kMicrosoft},
      {"QLinearReduceMean", 1, q_linear_reduce_mean, {}, kMicrosoft},
      {"QLinearConv", 1, q_linear_conv, {}, kMicrosoft},
      {"QuantizeLinear", 1, quantize_linear, {}, kMicrosoft},
      {"DequantizeLinear", 1, dequantize_linear, {}, kMicrosoft},
  };
}

}  // namespace onnx2ir::frontend
