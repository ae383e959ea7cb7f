// Replaces QuantizeLinear followed by DequantizeLinear by one FakeQuantize whose results are the dequantised
// numbers: the form that the CPU plugin, the GPU plugin and NNCF use, and that becomes integer kernels. That
// of 16 bits is for round_activations_once and round_results_once, which leaves a Clamp. A dequantised
// number, such as the 0.5 of a Gelu, becomes one constant.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "ir/views/elementwise.hpp"
#include "ir/views/quantization.hpp"
#include "ir/views/unary.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/discontinuities.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// The numbers of a constant, which may be converted to f32, and their shape.
struct Constant {
  std::vector<std::int64_t> shape;
  ir::Numbers numbers;

  double at(std::size_t i) const { return numbers.size() == 1 ? numbers[0] : numbers[i]; }
};

std::optional<Constant> constant_of(ir::Value value) {
  ir::Node* const node = source_constant(value);
  if (node == nullptr) return std::nullopt;
  auto numbers = ir::exact_numbers(node->value());
  if (!numbers || numbers->empty()) return std::nullopt;
  return Constant{value.shape().sizes()->unchecked(), *std::move(numbers)};
}

/// The arithmetic on the integers that a FakeQuantize has rounded to: (integer - zero_point) * scale.
struct Dequantization {
  const ir::Node* fake_quantize = nullptr;
  Constant zero_point;
  Constant scale;
};

std::optional<Dequantization> dequantization_of(ir::Value numbers, ir::Value scale) {
  const auto found = converted_integers(numbers);
  ir::Value rounded;
  const auto narrowed = op(ops::Convert, any(rounded, op(ops::FakeQuantize)));
  if (!found || !matches(found->integers, narrowed) || rounded.type() != numbers.type())
    return std::nullopt;  // before constants are read: weights are large
  auto zero_point = found->zero_point ? constant_of(found->zero_point) : Constant{{}, {0.0}};
  auto factor = constant_of(scale);
  if (!zero_point || !factor) return std::nullopt;
  return Dequantization{rounded.node, *std::move(zero_point), *std::move(factor)};
}

/// Whether a FakeQuantize results in all integers from its lowest to its highest result.
bool gives_integers(ir::FakeQuantizeView fake_quantize, const Constant& low, const Constant& high) {
  const auto steps = static_cast<double>(fake_quantize.levels() - 1);
  return low.numbers.size() == 1 && high.numbers.size() == 1 && std::trunc(low.at(0)) == low.at(0) &&
         high.at(0) - low.at(0) == steps;
}

std::optional<Dequantization> dequantization_of(ir::MultiplyView multiply) {
  auto found = dequantization_of(multiply.a(), multiply.b());
  return found ? found : dequantization_of(multiply.b(), multiply.a());
}

/// The dequantised numbers as one FakeQuantize; null if they are not of this form.
ir::Value fuse_pair(ir::Builder& builder, ir::MultiplyView multiply) {
  const auto found = dequantization_of(multiply);
  if (!found || multiply.output(0).shape != found->fake_quantize->output(0).shape) return {};
  const ir::FakeQuantizeView before = *found->fake_quantize;
  const auto low = constant_of(before.output_low());
  const auto high = constant_of(before.output_high());
  if (!low || !high || !gives_integers(before, *low, *high)) return {};
  const Constant& larger =
      found->scale.numbers.size() >= found->zero_point.numbers.size() ? found->scale : found->zero_point;
  const std::size_t count = larger.numbers.size();
  for (const Constant& parameter : {found->scale, found->zero_point}) {
    if (parameter.numbers.size() != 1 && parameter.shape != larger.shape) return {};
  }
  std::vector<double> lowest;
  std::vector<double> highest;
  for (std::size_t i = 0; i < count; ++i) {
    const double scale = found->scale.at(i);
    lowest.push_back((low->at(0) - found->zero_point.at(i)) * scale);
    highest.push_back((high->at(0) - found->zero_point.at(i)) * scale);
  }
  const ir::ElementType type = multiply.output(0).type;
  const ir::Value first = builder.numbers(lowest, larger.shape, type);
  const ir::Value last = builder.numbers(highest, larger.shape, type);
  return builder.op(ops::FakeQuantize, {before.data(), before.input_low(), before.input_high(), first, last},
                    {{"levels", before.levels()}});
}

/// The quotient that is rounded to `steps`, also in the form of divide_before_rounding() in
/// frontend/translators/onnx/exact_division.cpp; null for other values.
const ir::Node* rounded_quotient(ir::Value steps) {
  ir::Value quotient;
  const auto divided = any(quotient, op(ops::Divide));
  const auto middle = op(ops::Add, op(ops::Floor, op(ops::Clamp, divided)), any());
  const bool is_quotient = matches(steps, op(ops::Round, divided)) ||
                           matches(steps, op(ops::Round, op(ops::Add, op(ops::Divide), middle)));
  return is_quotient ? quotient.node : nullptr;
}

/// The dequantised numbers, if they were rounded to 16 bits, as one FakeQuantize; null if they are not of
/// this form.
ir::Value fuse_16_bits(ir::Builder& builder, ir::MultiplyView multiply) {
  if (multiply.node().find_attribute("dequantizes") == nullptr) return {};
  ir::Value numbers = multiply.a();
  if (const auto separate = ir::match<ir::ClampView>(numbers)) numbers = separate->data();
  const auto found = converted_integers(numbers);
  ir::Value limited;
  if (!found || ir::info(found->integers.type()).bits != 16 ||
      !matches(found->integers, op(ops::Convert, any(limited, op(ops::Clamp)))))
    return {};
  const ir::ClampView clamp = *limited.node;
  const ir::IntegerLimits limits = ir::limits_of(found->integers.type());
  if (clamp.min() != limits.low || clamp.max() != limits.high) return {};
  const auto sum = ir::match<ir::AddView>(clamp.data());
  const ir::Node* const quotient = rounded_quotient(sum ? sum->a() : clamp.data());
  if (quotient == nullptr) return {};
  const auto scale = source_number(multiply.b());
  const auto zero_point = found->zero_point ? source_number(found->zero_point) : 0.0;
  const auto offset = sum ? source_number(sum->b()) : 0.0;
  const ir::DivideView divide = *quotient;
  if (!scale || !(*scale > 0) || !zero_point || offset != zero_point || source_number(divide.b()) != scale ||
      divide.a().type() != multiply.output(0).type)
    return {};
  const ir::Value low = builder.number_like((limits.low - *zero_point) * *scale, divide.a());
  const ir::Value high = builder.number_like((limits.high - *zero_point) * *scale, divide.a());
  return builder.op(ops::FakeQuantize, {divide.a(), low, high, low, high}, {{"levels", 65536}});
}

/// Uses that are discontinuous at 0 keep the arithmetic on integers. OpenVINO computes the zero point of a
/// FakeQuantize from its bounds, and the number at the zero point is then not always exactly 0.
bool fuse(ir::Builder& builder, ir::Node& node, bool is_fast) {
  const ir::Value product = node.value();
  // No weights have rank 0.
  if (product.shape().has_rank(0) && ir::is_floating(product.type()) && node.is_computed_from_constants()) {
    if (const auto number = known_number(product); number && node.has_uses()) {
      ir::replace_all_uses(product, builder.number_like(*number, product));
      return true;
    }
  }
  const bool is_rounded = dequantization_of(node).has_value();
  if (!is_rounded && !is_fast) return false;
  std::vector<ir::Use> readers;
  std::ranges::copy_if(node.output(0).uses, std::back_inserter(readers),
                       [](const ir::Use& use) { return !is_discontinuous_at_zero(use); });
  if (readers.empty()) return false;
  const ir::Value fused = is_rounded ? fuse_pair(builder, node) : fuse_16_bits(builder, node);
  if (!fused) return false;
  if (readers.size() == node.output(0).uses.size()) {
    ir::replace_all_uses(product, fused);
  } else {
    ir::move_uses(readers, product, fused);
  }
  return true;
}

}  // namespace

bool fuse_quantization(ir::Model& model, PassContext& context) {
  const bool is_fast = context.options->quantization == Quantization::fast;
  return edit_nodes(model, {ops::Multiply},
                    [is_fast](ir::Builder& builder, ir::Node& node) { return fuse(builder, node, is_fast); });
}

}  // namespace onnx2ir::passes
