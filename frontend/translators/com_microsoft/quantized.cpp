// onnxruntime's operators on quantised tensors, computed in f32 on the dequantised numbers.
#include "frontend/translators/com_microsoft/quantized.hpp"

#include "frontend/translators/com_microsoft/channels.hpp"
#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {

Value dequantized(NodeContext& node, std::size_t data, std::size_t scale, std::size_t zero_point) {
  Value x = convert(node, node.input(data), ElementType::f32);
  if (const Value zero = node.optional_input(zero_point)) {
    x = node.op(ops::Subtract, {x, convert(node, zero, ElementType::f32)});
  }
  return node.op(ops::Multiply, {x, convert(node, node.input(scale), ElementType::f32)});
}

Value quantized(NodeContext& node, Value x, Value scale, Value zero_point, ElementType type) {
  double low = 0;
  double high = 0;
  switch (type) {
    case ElementType::i8:
      low = -128, high = 127;
      break;
    case ElementType::u8:
      high = 255;
      break;
    case ElementType::i16:
      low = -32768, high = 32767;
      break;
    case ElementType::u16:
      high = 65535;
      break;
    default:
      node.fail("only integers of 8 and 16 bits are converted");
  }
  const Value divisor = convert(node, scale, ElementType::f32);
  const Value quotient = node.op(ops::Divide, {x, divisor}, {{"m_pythondiv", true}});
  Value result = node.op(ops::Round, {quotient}, {{"mode", "half_to_even"}});
  if (zero_point) result = node.op(ops::Add, {result, convert(node, zero_point, ElementType::f32)});
  return convert(node, node.op(ops::Clamp, {result}, {{"min", low}, {"max", high}}), type);
}

namespace {

Values q_linear_binary(NodeContext& node, ir::Op op) {
  const Value result = node.op(op, {dequantized(node, 0, 1, 2), dequantized(node, 3, 4, 5)});
  return {quantized(node, result, node.input(6), node.optional_input(7), node.input(0).type())};
}

Values q_linear_add(NodeContext& node) {
  return q_linear_binary(node, ops::Add);
}
Values q_linear_mul(NodeContext& node) {
  return q_linear_binary(node, ops::Multiply);
}

/// QLinearConcat: scale and zero point of the result come first, then each tensor with its own. Zero points
/// may be absent.
Values q_linear_concat(NodeContext& node) {
  if (node.input_count() < 4 || node.input_count() % 3 == 0)
    node.fail("each tensor needs a scale and a zero point");
  Values parts;
  for (std::size_t i = 2; i < node.input_count(); i += 3) parts.push_back(dequantized(node, i, i + 1, i + 2));
  const std::int64_t axis = node.axis(node.integer("axis"), node.rank(node.input(2)));
  const Value all = concat(node, parts, axis);
  return {quantized(node, all, node.input(0), node.optional_input(1), node.input(2).type())};
}

/// The pooling operator `op` of ONNX on quantised images, with channels first unless `channels_last`.
Values q_linear_pool(NodeContext& node, std::string_view op, std::int64_t opset) {
  const bool channels_last = node.integer("channels_last", 0) != 0;
  const Value x = dequantized(node, 0, 1, 2);
  Value y = translate_as(node, op, opset, {channels_last ? with_channels_first(node, x) : x}).front();
  if (channels_last) y = with_channels_last(node, y);
  return {quantized(node, y, node.input(3), node.optional_input(4), node.input(0).type())};
}

Values q_linear_average_pool(NodeContext& node) {
  return q_linear_pool(node, "AveragePool", 11);
}
Values q_linear_global_average_pool(NodeContext& node) {
  return q_linear_pool(node, "GlobalAveragePool", 1);
}

/// An operation on the numbers of one input; the result's scale and zero point are inputs 3 and 4.
Values q_linear_unary(NodeContext& node, std::string_view op) {
  const Value y = translate_as(node, op, 13, {dequantized(node, 0, 1, 2)}).front();
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
  const Value y = translate_as(node, "Softmax", node.integer("opset"), {dequantized(node, 0, 1, 2)}).front();
  return {quantized(node, y, node.input(3), node.optional_input(4), node.input(0).type())};
}

Values q_linear_where(NodeContext& node) {
  const Value chosen =
      node.op(ops::Select, {node.input(0), dequantized(node, 1, 2, 3), dequantized(node, 4, 5, 6)});
  return {quantized(node, chosen, node.input(7), node.optional_input(8), node.input(1).type())};
}

/// QLinearReduceMean: over `axes`, all by default.
Values q_linear_reduce_mean(NodeContext& node) {
  const Value y = translate_as(node, "ReduceMean", 13, {dequantized(node, 0, 1, 2)}).front();
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
