// Products of quantised matrices, computed on the dequantised numbers.
#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/com_microsoft/quantized.hpp"
#include "frontend/translators/com_microsoft/quantized_matrix.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// QGemm on the numbers that the integers represent.
Values fast_q_gemm(NodeContext& node) {
  const auto flag = [&](std::string_view name) { return node.integer(name, 0) != 0; };
  const Grid of_a = grid_of(node, 1, 2);
  const double alpha = node.real("alpha", 1);
  const auto scaled = [&](Value x) {
    return alpha == 1 ? x : node.op(ops::Multiply, {x, node.number_like(alpha, x)});
  };
  const Value a = dequantize(node, node.input(0), of_a);
  // Scales of B are those of the columns of the product.
  const Value b = dequantize(node, node.input(3), grid_of(node, 4, 5, flag("transB") ? 0 : 1, 2));
  Value sums = scaled(
      node.op(ops::MatMul, {a, b}, {{"transpose_a", flag("transA")}, {"transpose_b", flag("transB")}}));
  if (const Value c = node.optional_input(6)) {
    const Value scale = node.op(ops::Multiply, {of_a.scale, grid_of(node, 4, 5).scale});
    sums = node.op(ops::Add, {sums, scaled(dequantize(node, c, {scale, {}}))});
  }
  if (!node.has_input(7)) return {sums};
  if (!node.has_input(8)) return {divide(node, sums, node.input(7))};
  return {quantize(node, sums, grid_of(node, 7, 8), node.input(8).type())};
}

/// QGemm: alpha * A' * B' + C, where C is quantised with the product of the scales. Without a zero point of
/// the output, the result is not quantised.
Values q_gemm(NodeContext& node) {
  if (has_integer_kernels(node, {1, 2, 4, 5, 7, 8})) return fast_q_gemm(node);
  const auto transposed = [&](Value value, std::string_view name) {
    return node.integer(name, 0) != 0 ? transpose(node, value, {1, 0}) : value;
  };
  const auto centred = [&](std::size_t data, std::size_t zero_point, std::string_view transpose_name) {
    const Value x = transposed(convert(node, node.input(data), ElementType::f32), transpose_name);
    return node.op(ops::Subtract, {x, convert(node, node.input(zero_point), ElementType::f32)});
  };
  Value sums = node.op(ops::MatMul, {centred(0, 2, "transA"), centred(3, 5, "transB")},
                       {{"transpose_a", false}, {"transpose_b", false}});
  if (const Value c = node.optional_input(6))
    sums = node.op(ops::Add, {sums, convert(node, c, ElementType::f32)});
  const Value scale = node.op(ops::Multiply, {node.input(1), node.input(4)});
  const double alpha = node.real("alpha", 1);
  const Value result =
      node.op(ops::Multiply,
              {sums, alpha == 1 ? scale : node.op(ops::Multiply, {scale, node.number_like(alpha, scale)})});
  if (!node.has_input(7)) return {result};
  if (!node.has_input(8)) return {divide(node, result, node.input(7))};
  return {quantize(node, result, grid_of(node, 7, 8), node.input(8).type())};
}

Value product(NodeContext& node, Value a, Value b) {
  return node.op(ops::MatMul, {a, b}, {{"transpose_a", false}, {"transpose_b", false}});
}

/// `a` times quantised weights.
Value product_with_weights(NodeContext& node, Value a, std::size_t data, std::size_t scale,
                           std::size_t zero_point, bool may_round) {
  const QuantizedMatrix weights{node.input(data), node.input(scale), node.optional_input(zero_point)};
  return node.rank(a) >= 2 && is_constant(weights)
             ? multiply_by_weights(node, a, weights, may_round)
             : product(node, a, dequantized(node, data, scale, zero_point));
}

Value with_bias(NodeContext& node, Value sums, std::size_t index) {
  const Value bias = node.optional_input(index);
  return bias ? node.op(ops::Add, {sums, bias}) : sums;
}

/// MatMulIntegerToFloat. The result has the type of the scales.
Values mat_mul_integer_to_float(NodeContext& node) {
  const Value a = dequantized(node, 0, 2, 4);
  const ElementType type = node.input(2).type();
  const Value sums = node.has_exact_quantization() ? product(node, a, dequantized(node, 1, 3, 5))
                                                   : product_with_weights(node, a, 1, 3, 5, false);
  return {with_bias(node, convert(node, sums, type), 6)};
}

/// Quantises `x` as DynamicQuantizeLinear does, and dequantises it: 256 steps between its extremes and 0.
Value rounded_to_bytes(NodeContext& node, Value x) {
  const Value flat = reshape(node, x, node.integers({-1}));
  const auto extreme = [&](ir::Op reduction, ir::Op choice) {
    const Value found = reduce(node, reduction, flat, {0});
    return node.op(choice, {found, node.number_like(0, x)});
  };
  const auto rounded = [&](Value value) { return node.op(ops::Round, {value}, {{"mode", "half_to_even"}}); };
  const auto in_range = [&](Value value) {
    return node.op(ops::Clamp, {value}, {{"min", 0.0}, {"max", 255.0}});
  };
  const Value low = extreme(ops::ReduceMin, ops::Minimum);
  const Value high = extreme(ops::ReduceMax, ops::Maximum);
  const Value range = node.op(ops::Subtract, {high, low});
  const Value is_flat = node.op(ops::Equal, {range, node.number_like(0, x)});
  const Value scale =
      node.op(ops::Select, {is_flat, node.number_like(1, x), divide(node, range, node.number_like(255, x))});
  const Value zero =
      rounded(in_range(node.op(ops::Subtract, {node.number_like(0, x), exact_quotient(node, low, scale)})));
  const Value numbers = in_range(node.op(ops::Add, {rounded(exact_quotient(node, x, scale)), zero}));
  return node.op(ops::Multiply, {node.op(ops::Subtract, {numbers, zero}), scale});
}

/// DynamicQuantizeMatMul: onnxruntime rounds A to bytes first; with fast quantisation, this is left to
/// OpenVINO.
Values dynamic_quantize_mat_mul(NodeContext& node) {
  if (!node.has_exact_quantization()) {
    return {with_bias(node, product_with_weights(node, node.input(0), 1, 2, 3, true), 4)};
  }
  const Value a = rounded_to_bytes(node, node.input(0));
  return {with_bias(node, product(node, a, dequantized(node, 1, 2, 3)), 4)};
}

/// MatMulInteger16: sums in i32. OpenVINO's MatMul adds in f32, which holds 24 bits: the numbers are split
/// into bytes, whose products are summed exactly.
Values mat_mul_integer_16(NodeContext& node) {
  constexpr std::int64_t kMaxSummands = 256;
  const Value a = node.input(0);
  const ir::Dimension inner = a.shape()[a.shape().rank() - 1];
  if (inner.is_dynamic() || inner.size() > kMaxSummands) {
    node.fail("sums of more than 256 products are not exact in OpenVINO, which adds in f32");
  }
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
  const auto sum = [&](Value x, Value y) { return convert(node, product(node, x, y), ElementType::i32); };
  const auto scaled = [&](Value x, std::int64_t factor) {
    return node.op(ops::Multiply, {x, node.integer(factor, ElementType::i32)});
  };
  const Value middle = node.op(ops::Add, {sum(left.upper, right.lower), sum(left.lower, right.upper)});
  const Value upper =
      node.op(ops::Add, {scaled(sum(left.upper, right.upper), 1 << 16), scaled(middle, 1 << 8)});
  return {node.op(ops::Add, {upper, sum(left.lower, right.lower)})};
}

}  // namespace

std::vector<TranslatorRow> microsoft_quantized_product_translators() {
  return {
      {"QGemm", 1, q_gemm, {}, kMicrosoft},
      {"MatMulIntegerToFloat", 1, mat_mul_integer_to_float, {}, kMicrosoft},
      {"MatMulInteger16", 1, mat_mul_integer_16, "sums of more than 256 products", kMicrosoft},
      {"DynamicQuantizeMatMul", 1, dynamic_quantize_mat_mul, {}, kMicrosoft},
  };
}

}  // namespace onnx2ir::frontend
