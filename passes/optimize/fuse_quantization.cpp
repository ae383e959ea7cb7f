// Replaces QuantizeLinear followed by DequantizeLinear by one FakeQuantize whose results are the dequantised
// numbers: the form that the CPU plugin, the GPU plugin and NNCF use, and that becomes integer kernels. A
// dequantised number, such as the 0.5 of a Gelu, becomes one constant.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "ir/views/elementwise.hpp"
#include "ir/views/quantization.hpp"
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

/// Uses that are discontinuous at 0 keep the arithmetic on integers. OpenVINO computes the zero point of a
/// FakeQuantize from its bounds, and the number at the zero point is then not always exactly 0.
bool fuse(ir::Builder& builder, ir::Node& node) {
  const ir::Value product = node.value();
  // No weights have rank 0.
  if (product.shape().has_rank(0) && ir::is_floating(product.type()) && node.is_computed_from_constants()) {
    if (const auto number = known_number(product); number && node.has_uses()) {
      ir::replace_all_uses(product, builder.number_like(*number, product));
      return true;
    }
  }
  if (!dequantization_of(node)) return false;
  std::vector<ir::Use> readers;
  std::ranges::copy_if(node.output(0).uses, std::back_inserter(readers),
                       [](const ir::Use& use) { return !is_discontinuous_at_zero(use); });
  const ir::Value fused = readers.empty() ? ir::Value{} : fuse_pair(builder, node);
  if (!fused) return false;
  if (readers.size() == node.output(0).uses.size()) {
    ir::replace_all_uses(product, fused);
  } else {
    ir::move_uses(readers, product, fused);
  }
  return true;
}

}  // namespace

bool fuse_quantization(ir::Model& model, PassContext&) {
  return edit_nodes(model, {ops::Multiply}, fuse);
}

}  // namespace onnx2ir::passes
