// onnxruntime's operators on quantised tensors, computed on the numbers that they represent.
#include "frontend/translators/com_microsoft/quantized.hpp"

#include "frontend/translators/com_microsoft/channels.hpp"
#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "frontend/translators/onnx/quantization_steps.hpp"
#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {

Value dequantize_input(NodeContext& node, std::size_t data, std::size_t scale, std::size_t zero_point) {
  const Value x = node.input(data);
  // Releases that keep weights compressed require parameters of their rank.
  const auto place = [&](Value parameter) {
    const PartialShape& shape = x.shape();
    const bool is_vector = parameter.shape().has_rank() && parameter.shape().rank() == 1;
    const auto count = parameter.shape().element_count();
    if (is_vector && count && shape.has_rank() && shape.rank() == 2)
      parameter = reshape_constant(node, parameter, {1, *count});
    return convert(node, parameter, ElementType::f32);
  };
  Value numbers = convert(node, x, ElementType::f32);
  if (const Value zero = node.optional_input(zero_point))
    numbers = node.op(ops::Subtract, {numbers, place(zero)});
  return node.op(ops::Multiply, {numbers, place(node.input(scale))});
}

namespace {

/// The numbers of a quantised input.
Value restore_numbers(NodeContext& node, std::size_t data, std::size_t scale, std::size_t zero_point) {
  return dequantize(node, node.input(data), read_grid(node, scale, zero_point));
}

/// Numbers as integers of the type of input `like`.
Values quantize_like(NodeContext& node, Value numbers, std::size_t scale, std::size_t zero_point,
                     std::size_t like = 0) {
  return {quantize(node, numbers, read_grid(node, scale, zero_point), node.input(like).type())};
}

/// The quotient of scales, as onnxruntime computes it before it multiplies numbers.
Value divide_scales(NodeContext& node, Value scale) {
  return divide(node, scale, convert(node, node.input(6), ElementType::f32));
}

/// Rounds a multiple of the result's scale; some operators of onnxruntime add the zero point before.
Values round_with_zero_point(NodeContext& node, Value x, std::size_t zero_point) {
  if (const Value zero = node.optional_input(zero_point)) {
    x = node.op(ops::Add, {x, convert(node, zero, ElementType::f32)});
  }
  return {saturate(node, round_to_even(node, x), node.input(0).type())};
}

Values q_linear_add(NodeContext& node) {
  if (has_integer_kernels(node, {1, 2, 4, 5, 6, 7})) {
    const Value left = restore_numbers(node, 0, 1, 2);
    return quantize_like(node, node.op(ops::Add, {left, restore_numbers(node, 3, 4, 5)}), 6, 7);
  }
  const auto summand = [&](std::size_t first) {
    const Value scale = divide_scales(node, convert(node, node.input(first + 1), ElementType::f32));
    return node.op(ops::Multiply,
                   {subtract_zero_point(node, node.input(first), node.optional_input(first + 2)), scale});
  };
  const Value left = summand(0);
  return round_with_zero_point(node, node.op(ops::Add, {left, summand(3)}), 7);
}

Values q_linear_mul(NodeContext& node) {
  if (has_integer_kernels(node, {1, 2, 4, 5, 6, 7})) {
    const Value left = restore_numbers(node, 0, 1, 2);
    return quantize_like(node, node.op(ops::Multiply, {left, restore_numbers(node, 3, 4, 5)}), 6, 7);
  }
  const auto scale = [&](std::size_t index) { return convert(node, node.input(index), ElementType::f32); };
  const Value factor = divide_scales(node, node.op(ops::Multiply, {scale(1), scale(4)}));
  const Value left = subtract_zero_point(node, node.input(0), node.optional_input(2));
  const Value right = subtract_zero_point(node, node.input(3), node.optional_input(5));
  const Value product = node.op(ops::Multiply, {left, right});
  return round_with_zero_point(node, node.op(ops::Multiply, {product, factor}), 7);
}

/// QLinearConcat: scale and zero point of the result come first, then each tensor with its own. Zero points
/// may be absent.
Values q_linear_concat(NodeContext& node) {
  if (node.input_count() < 4 || node.input_count() % 3 == 0)
    node.fail("each tensor needs a scale and a zero point");
  Values parts;
  for (std::size_t i = 2; i < node.input_count(); i += 3)
    parts.push_back(restore_numbers(node, i, i + 1, i + 2));
  const std::int64_t axis = node.axis(node.integer_attribute("axis"), node.rank(node.input(2)));
  const Value all = concat(node, parts, axis);
  return quantize_like(node, all, 0, 1, 2);
}

/// The pooling operator `op` of ONNX on quantised images, with channels first unless `channels_last`.
Value q_linear_pool(NodeContext& node, std::string_view op, std::int64_t opset) {
  const bool channels_last = node.flag_attribute("channels_last");
  const Value x = restore_numbers(node, 0, 1, 2);
  const Value y = translate_as(node, op, opset, {channels_last ? move_channels_first(node, x) : x}).front();
  return channels_last ? move_channels_last(node, y) : y;
}

Values q_linear_average_pool(NodeContext& node) {
  const Value y = q_linear_pool(node, "AveragePool", 11);
  if (has_integer_kernels(node, {1, 2, 3, 4})) return quantize_like(node, y, 3, 4);
  const Value scale = convert(node, node.input(3), ElementType::f32);
  return round_with_zero_point(node, divide_before_rounding(node, y, scale), 4);
}
Values q_linear_global_average_pool(NodeContext& node) {
  const Value y = q_linear_pool(node, "GlobalAveragePool", 1);
  return quantize_like(node, y, 3, 4);
}

/// The ONNX operator `kName` of version 13 on the numbers of one input; the result's scale and zero point are
/// inputs 3 and 4.
template <OperatorName kName>
Values q_linear_unary(NodeContext& node) {
  const Value y = translate_as(node, kName.text, 13, {restore_numbers(node, 0, 1, 2)}).front();
  return quantize_like(node, y, 3, 4);
}

/// QLinearSoftmax: Softmax in the version of attribute `opset`.
Values q_linear_softmax(NodeContext& node) {
  // The default of `axis` is the last axis for each opset. Softmax has this default since opset 13.
  const std::int64_t opset = node.integer_attribute("opset");
  const Value y =
      translate_as(node, "Softmax", node.has_attribute("axis") ? opset : 13, {restore_numbers(node, 0, 1, 2)})
          .front();
  return quantize_like(node, y, 3, 4);
}

Values q_linear_where(NodeContext& node) {
  const Value chosen =
      node.op(ops::Select, {node.input(0), restore_numbers(node, 1, 2, 3), restore_numbers(node, 4, 5, 6)});
  return quantize_like(node, chosen, 7, 8, 1);
}

/// QLinearConv, also with channels in the last axis.
Values q_linear_conv(NodeContext& node) {
  Operands inputs = node.operands();
  const bool is_last = node.flag_attribute("channels_last");
  if (is_last) inputs[0] = move_channels_first(node, node.input(0));
  const Value y = translate_as(node, "QLinearConv", 10, inputs).front();
  return {is_last ? move_channels_last(node, y) : y};
}

}  // namespace

std::vector<TranslatorRow> microsoft_quantized_translators() {
  return {
      {"QLinearAdd", 1, q_linear_add},
      {"QLinearMul", 1, q_linear_mul},
      {"QLinearConcat", 1, q_linear_concat},
      {"QLinearAveragePool", 1, q_linear_average_pool},
      {"QLinearGlobalAveragePool", 1, q_linear_global_average_pool},
      {"QLinearSigmoid", 1, q_linear_unary<"Sigmoid">},
      {"QLinearLeakyRelu", 1, q_linear_unary<"LeakyRelu">},
      {"QLinearSoftmax", 1, q_linear_softmax},
      {"QLinearWhere", 1, q_linear_where},
      {"QLinearReduceMean", 1, q_linear_unary<"ReduceMean">},
      {"QLinearConv", 1, q_linear_conv},
      {"QuantizeLinear", 1, same_as<"QuantizeLinear", 21>},
      {"DequantizeLinear", 1, same_as<"DequantizeLinear", 21>},
  };
}

}  // namespace onnx2ir::frontend
