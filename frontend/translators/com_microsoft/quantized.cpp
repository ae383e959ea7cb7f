// onnxruntime's operators on quantised tensors: computed on the numbers they stand for, as f32.
#include "frontend/translators/com_microsoft/quantized.hpp"

#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {

Value dequantized(NodeContext& node, std::size_t data, std::size_t scale, std::size_t zero_point) {
  Value x = convert(node, node.input(data), ElementType::f32);
  if (const Value zero = node.optional_input(zero_point)) {
    x = node.op("Subtract", {x, convert(node, zero, ElementType::f32)});
  }
  return node.op("Multiply", {x, convert(node, node.input(scale), ElementType::f32)});
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
  const Value quotient = node.op("Divide", {x, scale}, {{"m_pythondiv", true}});
  Value result = node.op("Round", {quotient}, {{"mode", "half_to_even"}});
  if (zero_point) result = node.op("Add", {result, convert(node, zero_point, ElementType::f32)});
  return convert(node, node.op("Clamp", {result}, {{"min", low}, {"max", high}}), type);
}

namespace {

Values q_linear_binary(NodeContext& node, std::string_view op) {
  const Value result = node.op(op, {dequantized(node, 0, 1, 2), dequantized(node, 3, 4, 5)});
  return {quantized(node, result, node.input(6), node.optional_input(7), node.input(0).type())};
}

Values q_linear_add(NodeContext& node) {
  return q_linear_binary(node, "Add");
}
Values q_linear_mul(NodeContext& node) {
  return q_linear_binary(node, "Multiply");
}

/// QLinearConcat: the result's scale and zero point come first, then each tensor with its own.
Values q_linear_concat(NodeContext& node) {
  if (node.input_count() < 5 || (node.input_count() - 2) % 3 != 0)
    node.fail("each tensor needs a scale and a zero point");
  Values parts;
  for (std::size_t i = 2; i < node.input_count(); i += 3) parts.push_back(dequantized(node, i, i + 1, i + 2));
  const std::int64_t axis = node.axis(node.integer("axis"), node.rank(node.input(2)));
  return {quantized(node, concat(node, parts, axis), node.input(0), node.input(1), node.input(2).type())};
}

/// The pool `op` of ONNX over quantised images, with channels in front, unless `channels_last`.
Values q_linear_pool(NodeContext& node, std::string_view op, std::int64_t opset) {
  const std::int64_t rank = node.rank(node.input(0));
  const bool channels_last = node.integer("channels_last", 0) != 0;
  std::vector<std::int64_t> to_front{0, rank - 1};
  std::vector<std::int64_t> to_back{0};
  for (std::int64_t i = 1; i + 1 < rank; ++i) {
    to_front.push_back(i);
    to_back.push_back(i + 1);
  }
  to_back.push_back(1);
  Value x = dequantized(node, 0, 1, 2);
  if (channels_last) x = transpose(node, x, to_front);
  Value y = translate_as(node, op, opset, {x}).front();
  if (channels_last) y = transpose(node, y, to_back);
  return {quantized(node, y, node.input(3), node.optional_input(4), node.input(0).type())};
}

Values q_linear_average_pool(NodeContext& node) {
  return q_linear_pool(node, "AveragePool", 11);
}
Values q_linear_global_average_pool(NodeContext& node) {
  return q_linear_pool(node, "GlobalAveragePool", 1);
}

/// QGemm: alpha * A' * B' + C, where C counts in products of the scales; without a scale of its own the
/// result is no longer quantised.
Values q_gemm(NodeContext& node) {
  const auto transposed = [&](Value value, std::string_view name) {
    return node.integer(name, 0) != 0 ? transpose(node, value, {1, 0}) : value;
  };
  const auto centred = [&](std::size_t data, std::size_t zero_point, std::string_view transpose_name) {
    const Value x = transposed(convert(node, node.input(data), ElementType::f32), transpose_name);
    return node.op("Subtract", {x, convert(node, node.input(zero_point), ElementType::f32)});
  };
  Value sums = node.op("MatMul", {centred(0, 2, "transA"), centred(3, 5, "transB")},
                       {{"transpose_a", false}, {"transpose_b", false}});
  if (const Value c = node.optional_input(6))
    sums = node.op("Add", {sums, convert(node, c, ElementType::f32)});
  const Value scale = node.op("Multiply", {node.input(1), node.input(4)});
  const double alpha = node.real("alpha", 1);
  const Value result = node.op(
      "Multiply", {sums, alpha == 1 ? scale : node.op("Multiply", {scale, node.number_like(alpha, scale)})});
  if (!node.has_input(7)) return {result};
  const Value zero_point = node.optional_input(8);
  return {
      quantized(node, result, node.input(7), zero_point, zero_point ? zero_point.type() : ElementType::u8)};
}

/// DynamicQuantizeLSTM: an LSTM whose weights [D, I, 4H] are integers. onnxruntime also rounds what they are
/// multiplied with; here it keeps its precision.
Values dynamic_quantize_lstm(NodeContext& node) {
  const auto weights = [&](std::size_t data, std::size_t scale, std::size_t zero_point) {
    const auto by_direction = [&](Value value) {
      const Value number = convert(node, value, ElementType::f32);
      return node.rank(number) == 0 ? number
                                    : unsqueeze(node, number,
                                                node.rank(number) == 1 ? std::vector<std::int64_t>{1, 2}
                                                                       : std::vector<std::int64_t>{1});
    };
    const Value x = convert(node, node.input(data), ElementType::f32);
    const Value centred = node.op("Subtract", {x, by_direction(node.input(zero_point))});
    return transpose(node, node.op("Multiply", {centred, by_direction(node.input(scale))}), {0, 2, 1});
  };
  Operands inputs{node.operand(0), weights(1, 8, 9), weights(2, 10, 11)};
  for (std::size_t i = 3; i < 8; ++i) inputs.push_back(node.operand(i));
  return translate_as(node, "LSTM", 7, inputs);
}

}  // namespace

std::vector<TranslatorRow> microsoft_quantized_translators() {
  return {
      {"QLinearAdd", 1, q_linear_add, {}, kMicrosoft},
      {"QLinearMul", 1, q_linear_mul, {}, kMicrosoft},
      {"QLinearConcat", 1, q_linear_concat, {}, kMicrosoft},
      {"QLinearAveragePool", 1, q_linear_average_pool, {}, kMicrosoft},
      {"QLinearGlobalAveragePool", 1, q_linear_global_average_pool, {}, kMicrosoft},
      {"QGemm", 1, q_gemm, {}, kMicrosoft},
      {"DynamicQuantizeLSTM", 1, dynamic_quantize_lstm, {}, kMicrosoft},
  };
}

}  // namespace onnx2ir::frontend
