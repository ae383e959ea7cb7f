// onnxruntime's operators on quantised tensors, computed on the numbers that they represent.
#include "frontend/translators/com_microsoft/quantized.hpp"

#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "target/quantized_products.hpp"

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

bool is_constant(const QuantizedMatrix& matrix) {
  const auto sizes = matrix.integers.shape().sizes();
  const auto is_placed = [&](Value parameter) {
    const auto count = parameter.shape().element_count();
    return parameter.node->constant() != nullptr && (count == 1 || count == sizes->back());
  };
  return sizes && sizes->size() == 2 && matrix.integers.node->constant() != nullptr &&
         is_placed(matrix.scale) && (!matrix.zero_point || is_placed(matrix.zero_point));
}

Value multiply_by_weights(Builder& builder, Value a, const QuantizedMatrix& weights, bool may_round) {
  const auto sizes = *weights.integers.shape().sizes();
  const auto place = [&](Value parameter) {
    const bool is_single = parameter.shape().element_count() == 1;
    const auto shape = is_single ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{1, sizes.back()};
    return convert(builder, reshape_constant(builder, parameter, shape), ElementType::f32);
  };
  Value numbers = convert(builder, weights.integers, ElementType::f32);
  if (weights.zero_point && !is_zero(weights.zero_point))
    numbers = builder.op(ops::Subtract, {numbers, place(weights.zero_point)});
  const Value factor = place(weights.scale);
  if (!target::has_full_groups(sizes.front()))
    return builder.op(ops::Multiply, {mat_mul(builder, a, numbers), factor});
  return builder.op(ops::MatMul, {a, builder.op(ops::Multiply, {numbers, factor})},
                    {{"transpose_a", false}, {"transpose_b", false}, {"may_round_input", may_round}});
}

namespace {

/// Which inputs are a tensor, its scale and its zero point.
struct QuantizedInput {
  std::size_t data;
  std::size_t scale;
  std::size_t zero_point;
};

Value restore_numbers(NodeContext& node, const QuantizedInput& input) {
  return dequantize(node, node.input(input.data), read_grid(node, input.scale, input.zero_point));
}

/// Rounds a multiple of the result's scale to integers of the type of input `like`; some operators of
/// onnxruntime add the zero point before.
Values round_with_zero_point(NodeContext& node, std::size_t like, Value x, std::size_t zero_point) {
  if (const Value zero = node.optional_input(zero_point))
    x = node.op(ops::Add, {x, convert(node, zero, ElementType::f32)});
  return {saturate(node, round_to_even(node, x), node.input(like).type())};
}

// The inputs of QLinearAdd and QLinearMul.
using Binary = inputs::microsoft::QLinearAdd;
constexpr QuantizedInput kLeft{Binary::A, Binary::A_scale, Binary::A_zero_point};
constexpr QuantizedInput kRight{Binary::B, Binary::B_scale, Binary::B_zero_point};

/// The sum or the product of the numbers, if integer kernels compute it.
Values emit_for_integer_kernels(NodeContext& node, ir::Op op) {
  const Value left = restore_numbers(node, kLeft);
  const Value result = node.op(op, {left, restore_numbers(node, kRight)});
  return quantize_like(node, Binary::A, result, Binary::C_scale, Binary::C_zero_point);
}

bool has_integer_kernels(NodeContext& node) {
  return has_integer_kernels(node, {kLeft.scale, kLeft.zero_point, kRight.scale, kRight.zero_point,
                                    Binary::C_scale, Binary::C_zero_point});
}

/// The quotient of scales, as onnxruntime computes it before it multiplies numbers.
Value divide_scales(NodeContext& node, Value scale) {
  return divide(node, scale, convert(node, node.input(Binary::C_scale), ElementType::f32));
}

Values q_linear_add(NodeContext& node) {
  if (has_integer_kernels(node)) return emit_for_integer_kernels(node, ops::Add);
  const auto summand = [&](const QuantizedInput& input) {
    const Value scale = divide_scales(node, convert(node, node.input(input.scale), ElementType::f32));
    const Value data = node.input(input.data);
    return node.op(ops::Multiply,
                   {subtract_zero_point(node, data, node.optional_input(input.zero_point)), scale});
  };
  const Value left = summand(kLeft);
  const Value sum = node.op(ops::Add, {left, summand(kRight)});
  return round_with_zero_point(node, Binary::A, sum, Binary::C_zero_point);
}

Values q_linear_mul(NodeContext& node) {
  if (has_integer_kernels(node)) return emit_for_integer_kernels(node, ops::Multiply);
  const auto scale = [&](std::size_t index) { return convert(node, node.input(index), ElementType::f32); };
  const Value factor = divide_scales(node, node.op(ops::Multiply, {scale(kLeft.scale), scale(kRight.scale)}));
  const auto centred = [&](const QuantizedInput& input) {
    return subtract_zero_point(node, node.input(input.data), node.optional_input(input.zero_point));
  };
  const Value left = centred(kLeft);
  const Value product = node.op(ops::Multiply, {left, centred(kRight)});
  return round_with_zero_point(node, Binary::A, node.op(ops::Multiply, {product, factor}),
                               Binary::C_zero_point);
}

/// QLinearConcat: scale and zero point of the result come first, then each tensor with its own. Zero points
/// may be absent.
Values q_linear_concat(NodeContext& node) {
  using Input = inputs::microsoft::QLinearConcat;
  if (node.input_count() < 4 || node.input_count() % 3 == 0)
    node.fail("each tensor needs a scale and a zero point");
  Values parts;
  for (std::size_t i = Input::inputs; i < node.input_count(); i += 3)
    parts.push_back(restore_numbers(node, {i, i + 1, i + 2}));
  const std::int64_t axis = node.axis(node.integer_attribute("axis"), node.rank(node.input(Input::inputs)));
  const Value all = concat(node, parts, axis);
  return quantize_like(node, Input::inputs, all, Input::Y_scale, Input::Y_zero_point);
}

// The inputs of the operators on one tensor.
using Unary = inputs::microsoft::QLinearAveragePool;
constexpr QuantizedInput kOnly{Unary::X, Unary::x_scale, Unary::x_zero_point};

/// `numbers` as the result of an operator on one tensor.
Values quantize_result(NodeContext& node, Value numbers) {
  return quantize_like(node, Unary::X, numbers, Unary::y_scale, Unary::y_zero_point);
}

/// The pooling operator `op` of ONNX on quantised images, with channels first unless `channels_last`.
Value q_linear_pool(NodeContext& node, std::string_view op, std::int64_t opset) {
  const bool channels_last = node.flag_attribute("channels_last");
  const Value x = restore_numbers(node, kOnly);
  const Value y = translate_as(node, op, opset, {channels_last ? move_channels_first(node, x) : x}).front();
  return channels_last ? move_channels_last(node, y) : y;
}

Values q_linear_average_pool(NodeContext& node) {
  const Value y = q_linear_pool(node, "AveragePool", 11);
  if (has_integer_kernels(node, {Unary::x_scale, Unary::x_zero_point, Unary::y_scale, Unary::y_zero_point}))
    return quantize_result(node, y);
  const Value scale = convert(node, node.input(Unary::y_scale), ElementType::f32);
  return round_with_zero_point(node, Unary::X, divide_before_rounding(node, y, scale), Unary::y_zero_point);
}

Values q_linear_global_average_pool(NodeContext& node) {
  return quantize_result(node, q_linear_pool(node, "GlobalAveragePool", 1));
}

/// The ONNX operator `kName` of version 13 on the numbers of one tensor.
template <OperatorName kName>
Values q_linear_unary(NodeContext& node) {
  return quantize_result(node, translate_as(node, kName.text, 13, {restore_numbers(node, kOnly)}).front());
}

/// QLinearSoftmax: Softmax in the version of attribute `opset`.
Values q_linear_softmax(NodeContext& node) {
  // The default of `axis` is the last axis for each opset. Softmax has this default since opset 13.
  const std::int64_t opset = node.integer_attribute("opset");
  const std::int64_t version = node.has_attribute("axis") ? opset : 13;
  return quantize_result(node,
                         translate_as(node, "Softmax", version, {restore_numbers(node, kOnly)}).front());
}

Values q_linear_where(NodeContext& node) {
  using Input = inputs::microsoft::QLinearWhere;
  const Value x = restore_numbers(node, {Input::X, Input::x_scale, Input::x_zero_point});
  const Value y = restore_numbers(node, {Input::Y, Input::y_scale, Input::y_zero_point});
  const Value chosen = node.op(ops::Select, {node.input(Input::condition), x, y});
  return quantize_like(node, Input::X, chosen, Input::z_scale, Input::z_zero_point);
}

/// QLinearConv, also with channels in the last axis.
Values q_linear_conv(NodeContext& node) {
  using Input = inputs::QLinearConv;
  Operands inputs = node.operands();
  const bool is_last = node.flag_attribute("channels_last");
  if (is_last) inputs[Input::x] = move_channels_first(node, node.input(Input::x));
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
