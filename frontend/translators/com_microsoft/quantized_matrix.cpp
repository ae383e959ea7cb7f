#include "frontend/translators/com_microsoft/quantized_matrix.hpp"

#include <vector>

#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "target/quantized_products.hpp"

namespace onnx2ir::frontend {

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
  const ir::AttributeList plain = {{"transpose_a", false}, {"transpose_b", false}};
  if (!target::has_full_groups(sizes.front()))
    return builder.op(ops::Multiply, {builder.op(ops::MatMul, {a, numbers}, plain), factor});
  return builder.op(ops::MatMul, {a, builder.op(ops::Multiply, {numbers, factor})},
                    {{"transpose_a", false}, {"transpose_b", false}, {"may_round_input", may_round}});
}

}  // namespace onnx2ir::frontend
