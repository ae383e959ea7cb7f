// Products of quantised matrices, computed on the dequantised numbers.
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/com_microsoft/quantized.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

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
  struct Bytes {
    Value upper;
    Value lower;
  };
  const auto bytes_of = [&](Value value) {
    const Value number = convert(node, value, ElementType::f32);
    const Value step = node.number(256, ElementType::f32);
    const Value upper = node.op(ops::Floor, {divide(node, number, step)});
    return Bytes{upper, node.op(ops::Subtract, {number, node.op(ops::Multiply, {upper, step})})};
  };
  const Bytes left = bytes_of(a);
  const Bytes right = bytes_of(node.input(1));
  const auto sum = [&](Value x, Value y) { return convert(node, mat_mul(node, x, y), ElementType::i32); };
  const Value middle = node.op(ops::Add, {sum(left.upper, right.lower), sum(left.lower, right.upper)});
  const Value upper = node.op(ops::Add, {multiply_by(node, sum(left.upper, right.upper), 1 << 16),
                                         multiply_by(node, middle, 1 << 8)});
  return {node.op(ops::Add, {upper, sum(left.lower, right.lower)})};
}

}  // namespace

std::vector<TranslatorRow> microsoft_quantized_product_translators() {
  return {
      {"QGemm", 1, q_gemm},
      {"MatMulIntegerToFloat", 1, mat_mul_integer_to_float},
      {"MatMulInteger16", 1, mat_mul_integer_16, "sums of more than 256 products"},
      {"DynamicQuantizeMatMul", 1, dynamic_quantize_mat_mul},
  };
}

}  // namespace onnx2ir::frontend
