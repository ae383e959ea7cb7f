// onnxruntime's operators on quantised tensors, computed on the numbers that they represent.
#include "frontend/translators/com_microsoft/quantized.hpp"

#include <utility>

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

/// The sums of QGemm on the numbers that the integers represent.
Value multiply_numbers(NodeContext& node) {
  using Input = inputs::microsoft::QGemm;
  const Grid of_a = read_grid(node, Input::a_scale, Input::a_zero_point);
  const double alpha = node.real_attribute("alpha", 1);
  const Value a = dequantize(node, node.input(Input::A), of_a);
  // Scales of B are those of the columns of the product.
  const Value b = dequantize(
      node, node.input(Input::B),
      read_grid(node, Input::b_scale, Input::b_zero_point, node.flag_attribute("transB") ? 0 : 1, 2));
  Value sums = multiply_by(
      node, mat_mul(node, a, b, {.a = node.flag_attribute("transA"), .b = node.flag_attribute("transB")}),
      alpha);
  if (const Value c = node.optional_input(Input::C)) {
    const Value bias = dequantize_bias(node, c, of_a, Input::b_scale, Input::b_zero_point);
    sums = node.op(ops::Add, {sums, multiply_by(node, bias, alpha)});
  }
  return sums;
}

/// The sums of QGemm on the integers, multiplied by the scales afterwards.
Value multiply_integers(NodeContext& node) {
  using Input = inputs::microsoft::QGemm;
  const auto transposed = [&](Value value, std::string_view name) {
    return node.flag_attribute(name) ? transpose(node, value, {1, 0}) : value;
  };
  const auto factor = [&](std::size_t data, std::size_t zero_point, std::string_view transpose_name) {
    const Value x = transposed(convert(node, node.input(data), ElementType::f32), transpose_name);
    return subtract_zero_point(node, x, node.input(zero_point));
  };
  const Value a = factor(Input::A, Input::a_zero_point, "transA");
  Value sums = mat_mul(node, a, factor(Input::B, Input::b_zero_point, "transB"));
  if (const Value c = node.optional_input(Input::C))
    sums = node.op(ops::Add, {sums, convert(node, c, ElementType::f32)});
  const Value scale = node.op(ops::Multiply, {node.input(Input::a_scale), node.input(Input::b_scale)});
  return node.op(ops::Multiply, {sums, multiply_by(node, scale, node.real_attribute("alpha", 1))});
}

/// QGemm: alpha * A' * B' + C, where C is quantised with the product of the scales. Without a zero point of
/// the output, the result is not quantised.
Values q_gemm(NodeContext& node) {
  using Input = inputs::microsoft::QGemm;
  const bool is_fast = has_integer_kernels(node, {Input::a_scale, Input::a_zero_point, Input::b_scale,
                                                  Input::b_zero_point, Input::y_scale, Input::y_zero_point});
  const Value sums = is_fast ? multiply_numbers(node) : multiply_integers(node);
  if (!node.has_input(Input::y_scale)) return {sums};
  if (!node.has_input(Input::y_zero_point)) return {divide(node, sums, node.input(Input::y_scale))};
  return quantize_like(node, Input::y_zero_point, sums, Input::y_scale, Input::y_zero_point);
}

/// `a` times quantised weights. `may_round`: with fast quantisation, whether the runtime may round `a`.
Value multiply_by_quantized(NodeContext& node, Value a, std::size_t data, std::size_t scale,
                            std::size_t zero_point, bool may_round) {
  const QuantizedMatrix weights{node.input(data), node.input(scale), node.optional_input(zero_point)};
  return !node.has_exact_quantization() && node.rank(a) >= 2 && is_constant(weights)
             ? multiply_by_weights(node, a, weights, may_round)
             : mat_mul(node, a, dequantize_input(node, data, scale, zero_point));
}

/// MatMulIntegerToFloat. The result has the type of the scales.
Values mat_mul_integer_to_float(NodeContext& node) {
  using Input = inputs::microsoft::MatMulIntegerToFloat;
  const Value a = dequantize_input(node, Input::A, Input::a_scale, Input::a_zero_point);
  const ElementType type = node.input(Input::a_scale).type();
  const Value sums = multiply_by_quantized(node, a, Input::B, Input::b_scale, Input::b_zero_point, false);
  return {add_if_present(node, convert(node, sums, type), node.optional_input(Input::bias))};
}

/// Quantises `x` as DynamicQuantizeLinear does, and dequantises it.
Value round_to_bytes(NodeContext& node, Value x) {
  const auto [scale, zero] = compute_grid(node, x);
  const Value steps = round_to_even(node, divide_exactly(node, x, scale));
  const Value numbers = clamp_to_bytes(node, node.op(ops::Add, {steps, zero}));
  return node.op(ops::Multiply, {node.op(ops::Subtract, {numbers, zero}), scale});
}

/// DynamicQuantizeMatMul: onnxruntime rounds A to bytes first; with fast quantisation, OpenVINO may do so.
Values dynamic_quantize_mat_mul(NodeContext& node) {
  using Input = inputs::microsoft::DynamicQuantizeMatMul;
  const Value given = node.input(Input::A);
  const Value a = node.has_exact_quantization() ? round_to_bytes(node, given) : given;
  const Value sums = multiply_by_quantized(node, a, Input::B, Input::b_scale, Input::b_zero_point, true);
  return {add_if_present(node, sums, node.optional_input(Input::bias))};
}

/// MatMulInteger16: sums in i32. OpenVINO's MatMul adds in f32, which holds 24 bits: the numbers are split
/// into bytes, whose products are summed exactly.
Values mat_mul_integer_16(NodeContext& node) {
  constexpr std::int64_t kMaxSummands = 256;
  const Value a = node.input(0);
  const ir::Dimension inner = a.shape()[a.shape().rank() - 1];
  if (inner.is_dynamic() || inner.size() > kMaxSummands)
    node.fail("sums of more than 256 products are not exact in OpenVINO, which adds in f32");
  const auto bytes_of = [&](Value value) {
    const Value number = convert(node, value, ElementType::f32);
    const Value step = node.number(256, ElementType::f32);
    const Value upper = node.op(ops::Floor, {divide(node, number, step)});
    return std::pair(upper, node.op(ops::Subtract, {number, node.op(ops::Multiply, {upper, step})}));
  };
  const auto [upper_a, lower_a] = bytes_of(a);
  const auto [upper_b, lower_b] = bytes_of(node.input(1));
  const auto sum = [&](Value x, Value y) { return convert(node, mat_mul(node, x, y), ElementType::i32); };
  const Value middle = node.op(ops::Add, {sum(upper_a, lower_b), sum(lower_a, upper_b)});
  const Value upper = node.op(
      ops::Add, {multiply_by(node, sum(upper_a, upper_b), 1 << 16), multiply_by(node, middle, 1 << 8)});
  return {node.op(ops::Add, {upper, sum(lower_a, lower_b)})};
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
      {"QGemm", 1, q_gemm},
      {"MatMulIntegerToFloat", 1, mat_mul_integer_to_float},
      {"MatMulInteger16", 1, mat_mul_integer_16, "sums of more than 256 products"},
      {"DynamicQuantizeMatMul", 1, dynamic_quantize_mat_mul},
      {"QuantizeLinear", 1, same_as<"QuantizeLinear", 21>},
      {"DequantizeLinear", 1, same_as<"DequantizeLinear", 21>},
  };
}

}  // namespace onnx2ir::frontend
