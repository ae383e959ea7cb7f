// Replaces products of the integers of DynamicQuantizeLinear by products of the numbers before it. The
// weights stay compressed, so that the CPU plugin rounds the numbers itself, in groups, and multiplies
// integers; it does not recognise the operations that DynamicQuantizeLinear and MatMulInteger consist of.
// Integers that have other uses, too, are kept.
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/views/elementwise.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/unary.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"
#include "target/quantized_products.hpp"

namespace onnx2ir::passes {
namespace {

// Bounds for the time: without them, nested Concats and products that share operands take exponential time.
constexpr int kMaxDepth = 16;
constexpr int kMaxMoves = 64;
constexpr std::size_t kMaxFactors = 16;
constexpr ir::OperationSet kMoves = {ops::Gather, ops::Slice,  ops::Split,    ops::VariadicSplit,
                                     ops::Tile,   ops::Concat, ops::Broadcast};

/// A DynamicQuantizeLinear: integers are round(x / scale) + zero point.
struct Quantized {
  const ir::Node* integers;  ///< the Convert to u8
  ir::Value x;
  ir::Value scale;
  ir::Value zero_point;  ///< in f32
};

/// Integers minus their zero point.
struct Centred {
  Quantized quantization;
  ir::Value integers;  ///< the integers after operations that move them
};

/// `value` before Converts and changes of shape.
ir::Value source_of(ir::Value value) {
  const auto source = [](ir::Value at) {
    return at.node->is(ops::Convert) || at.node->op().traits.reshapes ? at.node->input(0) : ir::Value{};
  };
  return follow(value, source, kMaxDepth);
}

std::size_t operands_of(const ir::Node& move) {
  return move.is(ops::Concat) ? move.inputs().size() : 1;
}

/// The Convert of the DynamicQuantizeLinear whose integers `value` consists of; null for other values.
/// `moves` is how many more operations may be visited.
const ir::Node* origin_of(ir::Value value, int& moves) {
  const ir::Node& node = *value.node;
  if (const auto convert = ir::match<ir::ConvertView>(node))
    return convert->covers_range().value_or(false) ? &node : nullptr;
  if (moves-- <= 0 || !(node.op().traits.rearranges || node.is_one_of(kMoves))) return nullptr;
  const ir::Node* const origin = origin_of(node.input(0), moves);
  for (std::size_t i = 1; i < operands_of(node); ++i) {
    if (origin == nullptr || origin_of(node.input(i), moves) != origin) return nullptr;
  }
  return origin;
}

/// The Divide whose rounded result is `steps`; null if `steps` is not the result of such operations.
/// divide_before_rounding() in frontend/translators/onnx/exact_division.cpp emits them.
const ir::Node* division_of(ir::Value steps) {
  const auto source = [](const ir::Node& node) {
    const bool is_second = node.is(ops::Add) && node.input(1).node->constant() == nullptr;
    return node.input_or_null(is_second ? 1 : 0);
  };
  return find_before(*steps.node, {ops::Divide}, source, kMaxDepth + 1);
}

std::optional<Quantized> quantization_of(const ir::Node& integers) {
  ir::Value steps;
  ir::Value zero_point;
  if (!matches(ir::ConvertView(integers).data(), op(ops::Clamp, op(ops::Add, any(steps), any(zero_point)))))
    return std::nullopt;
  const ir::Node* const division = division_of(steps);
  if (division == nullptr) return std::nullopt;
  const ir::DivideView quotient = *division;
  return Quantized{.integers = &integers, .x = quotient.a(), .scale = quotient.b(), .zero_point = zero_point};
}

std::optional<Centred> centred(ir::Value value) {
  if (const auto clamp = ir::match<ir::ClampView>(value)) value = clamp->data();
  const auto numbers = converted_integers(value);
  if (!numbers || !numbers->zero_point) return std::nullopt;
  int moves = kMaxMoves;
  const ir::Node* const origin = origin_of(numbers->integers, moves);
  const auto quantization = origin != nullptr ? quantization_of(*origin) : std::nullopt;
  if (!quantization || source_of(numbers->zero_point) != quantization->zero_point) return std::nullopt;
  return Centred{.quantization = *quantization, .integers = numbers->integers};
}

/// The numbers that `integers`, moved from those of `quantization`, were rounded from.
ir::Value restore_numbers(ir::Builder& builder, const Quantized& quantization, ir::Value integers) {
  const ir::Node& node = *integers.node;
  if (&node == quantization.integers) return quantization.x;
  std::vector<ir::Value> inputs(node.inputs().begin(), node.inputs().end());
  for (std::size_t i = 0; i < operands_of(node); ++i)
    inputs[i] = restore_numbers(builder, quantization, inputs[i]);
  return builder.clone(node, inputs).value(integers.index);
}

void collect_factors(ir::Value value, std::vector<ir::Value>& factors, int depth = kMaxDepth) {
  const auto product = ir::match<ir::MultiplyView>(value);
  if (depth > 0 && factors.size() < kMaxFactors && product) {
    collect_factors(product->a(), factors, depth - 1);
    collect_factors(product->b(), factors, depth - 1);
  } else {
    factors.push_back(value);
  }
}

/// Removes a factor that is the scale of `centred`; without such a factor, `centred` is cleared.
void divide_by_scale(std::optional<Centred>& centred, std::vector<ir::Value>& factors) {
  if (!centred) return;
  const auto found = std::ranges::find(factors, source_of(centred->quantization.scale), source_of);
  if (found == factors.end()) {
    centred.reset();
  } else {
    factors.erase(found);
  }
}

/// A parameter of weights with `sizes`, or a scalar; null unless it is a constant with one element, or one
/// for each output.
ir::Value place_parameter(ir::Builder& builder, ir::Value parameter, const std::vector<std::int64_t>& sizes) {
  ir::Node* const constant = source_constant(parameter);
  const auto stored = parameter.shape().sizes();
  if (constant == nullptr || !stored) return {};
  const auto count = parameter.shape().element_count();
  const std::int64_t outputs = sizes.front() * sizes.back();
  const bool is_per_output = count == outputs && !stored->empty() && stored->back() == outputs;
  if (count != 1 && !is_per_output) return {};
  const ir::Value value = constant->value();
  return builder.constant(value.type(), count == 1 ? std::vector<std::int64_t>{} : sizes,
                          *constant->constant());
}

/// Weights with their scale, which is removed from `factors` if it is one of them: a form that the CPU plugin
/// keeps compressed. Null for values that are not a matrix of constant integers.
ir::Value compress_weights(ir::Builder& builder, ir::MatMulView mat_mul, std::vector<ir::Value>& factors) {
  const ir::Value weights = mat_mul.b();
  const auto integers = converted_integers(weights);
  const auto sizes = weights.shape().sizes();
  if (!sizes || sizes->size() != 2 || !integers || integers->integers.shape() != weights.shape()) return {};
  const ir::Value data = integers->integers;
  if (data.node->constant() == nullptr || ir::info(data.type()).bits != 8) return {};
  if (!target::has_full_groups(mat_mul.transpose_b() ? sizes->back() : sizes->front())) return {};
  const std::vector<std::int64_t> parameters = mat_mul.transpose_b()
                                                   ? std::vector<std::int64_t>{sizes->front(), 1}
                                                   : std::vector<std::int64_t>{1, sizes->back()};
  ir::Value numbers = ir::convert(builder, data, ir::ElementType::f32);
  if (integers->zero_point) {
    const ir::Value zero_point = place_parameter(builder, integers->zero_point, parameters);
    if (!zero_point) return {};
    if (!are_all(zero_point, 0))
      numbers = builder.op(ops::Subtract, {numbers, ir::convert(builder, zero_point, ir::ElementType::f32)});
  }
  ir::Value scale;
  for (std::size_t i = 0; i < factors.size() && !scale; ++i) {
    scale = place_parameter(builder, factors[i], parameters);
    if (scale) factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (!scale) scale = builder.number(1, ir::ElementType::f32);
  return builder.op(ops::Multiply, {numbers, ir::convert(builder, scale, ir::ElementType::f32)});
}

/// Whether `value` times `factor` has the rank of `value`.
bool keeps_rank(ir::Value value, ir::Value factor) {
  return value.shape().has_rank() && factor.shape().has_rank() &&
         factor.shape().rank() <= value.shape().rank();
}

/// `sums` of products of centred integers, times scales, as a product of numbers; null for other values.
ir::Value multiply_numbers(ir::Builder& builder, ir::Value sums, ir::Value scales) {
  for (int i = 0; i < 2; ++i) {
    if (const auto convert = ir::match<ir::ConvertView>(sums)) sums = convert->data();
  }
  const ir::Node& product = *sums.node;
  if (!product.is_one_of(kIntegerProducts) || !keeps_rank(sums, scales)) return {};
  std::optional<Centred> left = centred(product.input(0));
  std::optional<Centred> right = centred(product.input(1));
  if (!left && !right) return {};
  std::vector<ir::Value> factors;
  collect_factors(scales, factors);
  divide_by_scale(left, factors);
  divide_by_scale(right, factors);
  if (!left && !right) return {};
  std::vector<ir::Value> inputs(product.inputs().begin(), product.inputs().end());
  if (left) inputs[0] = restore_numbers(builder, left->quantization, left->integers);
  if (right) inputs[1] = restore_numbers(builder, right->quantization, right->integers);
  const bool is_mat_mul = product.is(ops::MatMul);
  const ir::Value weights = is_mat_mul && !right ? compress_weights(builder, product, factors) : ir::Value{};
  if (weights) inputs[1] = weights;
  ir::Node& copy = builder.clone(product, inputs);
  if (is_mat_mul) copy.set_attribute({"may_round_input", true});
  ir::Value result = copy.value();
  for (const ir::Value factor : factors) result = builder.op(ops::Multiply, {result, factor});
  return result;
}

/// The numbers that were quantised, if `value` times `scale` are the numbers that they were rounded to.
ir::Value restore_scaled_numbers(ir::Builder& builder, ir::Value value, ir::Value scale) {
  const auto found = centred(value);
  if (!found || !keeps_rank(value, scale) || source_of(scale) != source_of(found->quantization.scale))
    return {};
  return restore_numbers(builder, found->quantization, found->integers);
}

/// Allows the runtime to round `numbers` in the products that multiply them with weights.
void mark_products(const ir::Node& numbers) {
  for (const ir::Use& use : numbers.output(0).uses) {
    if (use.node->is(ops::MatMul) && use.index == ir::MatMulView::Input::a)
      use.node->set_attribute({"may_round_input", true});
  }
}

ir::Value remove_rounding(ir::Builder& builder, ir::Node& multiply) {
  if (multiply.output(0).type != ir::ElementType::f32) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    const ir::Value value = multiply.input(i);
    const ir::Value scale = multiply.input(1 - i);
    const ir::Value numbers = restore_scaled_numbers(builder, value, scale);
    if (numbers) mark_products(multiply);
    const ir::Value result = numbers ? numbers : multiply_numbers(builder, value, scale);
    if (result) return result;
  }
  return {};
}

}  // namespace

bool leave_rounding_to_runtime(ir::Model& model, PassContext& context) {
  if (context.options->quantization == Quantization::exact) return false;
  return rewrite_values(model, {ops::Multiply}, remove_rounding);
}

}  // namespace onnx2ir::passes
