// Fuses decomposed activations into one operation: Gelu (by erf and by tanh), Swish with and without a
// factor, HSwish, Mish, SoftPlus.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ir/views/elementwise.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// The number by which `x` is multiplied to give `value`.
std::optional<double> multiple_of(ir::Value value, ir::Value x) {
  if (value == x) return 1;
  const Product product = product_of(value);
  if (product.factors.size() != 1 || product.factors.front() != x) return std::nullopt;
  return product.coefficient;
}

/// Whether `value` is 0.044715 x^`exponent`.
bool is_power_term(ir::Value value, ir::Value x, std::size_t exponent) {
  const Product product = product_of(value);
  if (!is_near(product.coefficient, 0.044715, x.type())) return false;
  if (product.factors.size() == 1)
    return matches(product.factors.front(), op(ops::Power, same(x), number(static_cast<double>(exponent))));
  return product.factors.size() == exponent &&
         std::ranges::all_of(product.factors, [&](ir::Value factor) { return factor == x; });
}

/// Whether `value` is sqrt(2 / pi) (x + 0.044715 x^3), possibly with x as a common factor.
bool is_tanh_argument(ir::Value value, ir::Value x) {
  const Product product = product_of(value);
  if (!is_near(product.coefficient, std::sqrt(2 / std::numbers::pi), x.type())) return false;
  if (product.factors.size() == 2) {
    const std::size_t at = product.factors[0] == x ? 1 : 0;
    const ir::Value square = other_operand(product.factors[at], ops::Add, 1);
    return product.factors[1 - at] == x && square && is_power_term(square, x, 2);
  }
  if (product.factors.size() != 1) return false;
  const auto is_cubic = [x](ir::Value term) { return is_power_term(term, x, 3); };
  return matches(product.factors.front(), commutative(ops::Add, same(x), is_cubic));
}

/// The value that `value` clips to [0, 6]; null if it does not clip.
ir::Value clipped_to_six(ir::Value value) {
  if (const auto clamp = ir::match<ir::ClampView>(value))
    return clamp->min() == 0 && clamp->max() == 6 ? clamp->data() : ir::Value{};
  if (const ir::Value lower = other_operand(value, ops::Minimum, 6))
    return other_operand(lower, ops::Maximum, 0);
  if (const ir::Value upper = other_operand(value, ops::Maximum, 0))
    return other_operand(upper, ops::Minimum, 6);
  return {};
}

/// coefficient * x * gate as one operation, or null if no operation computes that.
ir::Value fuse_gate(ir::Builder& builder, double coefficient, ir::Value x, ir::Value gate) {
  if (!is_used_once(gate)) return {};
  const ir::ElementType type = x.type();
  if (is_near(coefficient, 0.5, type)) {
    const ir::Value inner = other_operand(gate, ops::Add, 1);
    if (!inner) return {};
    ir::Value argument;
    if (matches(inner, op(ops::Erf, any(argument)))) {
      const auto scale = multiple_of(argument, x);
      if (scale && is_near(*scale, std::numbers::sqrt2 / 2, type))
        return builder.op(ops::Gelu, {x}, {{"approximation_mode", "ERF"}});
    }
    if (matches(inner, op(ops::Tanh, any(argument))) && is_tanh_argument(argument, x))
      return builder.op(ops::Gelu, {x}, {{"approximation_mode", "TANH"}});
    return {};
  }
  if (is_near(coefficient, 1.0 / 6, type)) {
    const ir::Value clipped = clipped_to_six(gate);
    return clipped && other_operand(clipped, ops::Add, 3) == x ? builder.op(ops::HSwish, {x}) : ir::Value{};
  }
  if (coefficient != 1) return {};
  if (matches(gate, op(ops::HardSigmoid, same(x), number(1.0 / 6), number(0.5))))
    return builder.op(ops::HSwish, {x});
  if (matches(gate, op(ops::Tanh, op(ops::SoftPlus, same(x))))) return builder.op(ops::Mish, {x});
  const auto sigmoid = ir::match<ir::SigmoidView>(gate);
  const auto scale = sigmoid ? multiple_of(sigmoid->data(), x) : std::nullopt;
  if (!scale) return {};
  return *scale == 1 ? builder.op(ops::Swish, {x})
                     : builder.op(ops::Swish, {x, builder.number(*scale, type)});
}

ir::Value fuse_product(ir::Builder& builder, ir::Node& node) {
  const Product product = product_of(node.value());
  if (product.factors.size() != 2) return {};
  const std::array orders{std::pair{product.factors[0], product.factors[1]},
                          std::pair{product.factors[1], product.factors[0]}};
  for (const auto& [x, gate] : orders) {
    // The other operand may not raise the rank of the result.
    if (!x.shape().has_rank() || x.shape() != node.output(0).shape) continue;
    if (const ir::Value fused = fuse_gate(builder, product.coefficient, x, gate)) return fused;
  }
  return {};
}

/// log(exp(x) + 1)
ir::Value fuse_logarithm(ir::Builder& builder, ir::LogView logarithm) {
  ir::Value x;
  if (!matches(logarithm.data(), commutative(ops::Add, op(ops::Exp, any(x)), number(1))) ||
      !is_used_once(logarithm.data()))
    return {};
  return x.shape().has_rank() && x.shape() == logarithm.output(0).shape ? builder.op(ops::SoftPlus, {x})
                                                                        : ir::Value{};
}

/// Matches Select(k x > threshold, x, log(exp(k x) + 1) / k), as torch exports Softplus: above the threshold
/// both values are equal in f32.
ir::Value drop_threshold(ir::SelectView select) {
  constexpr double kLowest = 15;  // exp(-15) is less than the last bit of 15 in f32
  ir::Value scaled;
  ir::Value limit;
  if (!matches(select.condition(), op(ops::Less, any(limit), any(scaled))) &&
      !matches(select.condition(), op(ops::Greater, any(scaled), any(limit))))
    return {};
  const auto threshold = ir::exact_number(limit);
  const ir::Value x = select.then_value();
  const ir::Value smooth = select.else_value();
  if (!threshold || *threshold < kLowest || !x.shape().has_rank() || x.shape() != select.output(0).shape)
    return {};
  const Product product = product_of(smooth);
  const auto factor = multiple_of(scaled, x);
  if (!factor || product.factors.size() != 1 || smooth.shape() != x.shape()) return {};
  if (!matches(product.factors.front(), op(ops::SoftPlus, same(scaled)))) return {};
  return is_near(product.coefficient * *factor, 1, x.type()) ? smooth : ir::Value{};
}

ir::Value fuse(ir::Builder& builder, ir::Node& node) {
  if (!ir::is_floating(node.output(0).type)) return {};
  if (node.is(ops::Select)) return drop_threshold(node);
  return node.is(ops::Log) ? fuse_logarithm(builder, node) : fuse_product(builder, node);
}

}  // namespace

bool fuse_activations(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Select, ops::Multiply, ops::Divide, ops::Log}, fuse);
}

}  // namespace onnx2ir::passes
