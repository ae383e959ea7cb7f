// Quantisers round each operation of an activation, such as the Sigmoid in x * Sigmoid(x), and the result
// again. The first roundings are noise, and prevent the operations from becoming one activation, which the
// CPU plugin computes together with the product before it: SSD and YOLO models take 0.55 and 0.75 of the time
// without them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/portable_math.hpp"
#include "ir/views/quantization.hpp"
#include "ir/views/unary.hpp"
#include "onnx2ir/options.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/fake_quantize.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// An activation has at most this many operations, roundings included.
constexpr std::size_t kMostSteps = 16;

/// A number for each number that a FakeQuantize gives.
using Samples = std::vector<double>;

/// A fine grid with at most 256 levels, the most numbers that are tried.
Grid sampled(const Grid& grid) {
  constexpr std::int64_t kMostLevels = 256;
  return {grid.low, grid.high, std::min(grid.levels, kMostLevels)};
}

Samples numbers_of(const Grid& grid) {
  Samples numbers;
  for (std::int64_t i = 0; i < grid.levels; ++i)
    numbers.push_back(grid.low + static_cast<double>(i) * grid.step());
  return numbers;
}

using Unary = std::function<double(double)>;

/// The function of an elementwise operation with one operand that is not a constant; null for other
/// operations. A FakeQuantize clips here, and does not round.
Unary unary_function(const ir::Node& node) {
  if (const auto rounded = ir::match<ir::FakeQuantizeView>(node)) {
    const auto grid = grid_of(*rounded);
    if (!grid) return {};
    return [grid](double x) { return std::clamp(x, grid->low, grid->high); };
  }
  if (const auto sigmoid = ir::match<ir::HardSigmoidView>(node)) {
    const auto alpha = known_number(sigmoid->alpha());
    const auto beta = known_number(sigmoid->beta());
    if (!alpha || !beta) return {};
    return [=](double x) { return std::clamp(*alpha * x + *beta, 0.0, 1.0); };
  }
  if (const auto clamp = ir::match<ir::ClampView>(node)) {
    return [low = clamp->min(), high = clamp->max()](double x) { return std::min(std::max(x, low), high); };
  }
  if (node.is(ops::Sigmoid)) return [](double x) { return 1 / (1 + base::approximate_exponential(-x)); };
  if (node.is(ops::Tanh)) return [](double x) { return 1 - 2 / (1 + base::approximate_exponential(2 * x)); };
  if (node.is(ops::SoftPlus)) {
    return [](double x) {
      return std::max(x, 0.0) + base::natural_logarithm(1 + base::approximate_exponential(-std::abs(x)));
    };
  }
  if (node.is(ops::Erf)) return base::approximate_error_function;
  return {};
}

double compute(const ir::Node& node, double a, double b) {
  if (node.is(ops::Add)) return a + b;
  if (node.is(ops::Subtract)) return a - b;
  return node.is(ops::Multiply) ? a * b : a / b;
}

/// Computes values that are functions of one FakeQuantize.
struct Sampler {
  ir::FakeQuantizeView x;
  Samples numbers;
  std::size_t steps = 0;

  /// What `value` is for each number of x; no value if it is not a function of x.
  std::optional<Samples> sample(ir::Value value) {
    const ir::Node& node = *value.node;
    if (++steps > kMostSteps) return std::nullopt;
    const auto rounded = ir::match<ir::FakeQuantizeView>(node);
    if (rounded && are_equal_roundings(*rounded, x)) return numbers;
    if (const Unary function = unary_function(node)) {
      auto samples = sample(node.input(0));
      if (samples) std::ranges::transform(*samples, samples->begin(), function);
      return samples;
    }
    if (!node.is_one_of(kSumsAndFactors)) return std::nullopt;
    auto a = sample_operand(node.input(0));
    const auto b = a ? sample_operand(node.input(1)) : std::nullopt;
    if (!b) return std::nullopt;
    std::ranges::transform(*a, *b, a->begin(), [&](double p, double q) { return compute(node, p, q); });
    return a;
  }

  std::optional<Samples> sample_operand(ir::Value operand) {
    const auto number = known_number(operand);
    return number ? Samples(numbers.size(), *number) : sample(operand);
  }
};

/// Follows the only readers of `rounded` to the first value that only FakeQuantize operations read. Returns
/// null if an operation before it has several readers, or is not elementwise.
ir::Value next_rounded_value(const ir::Node& rounded) {
  const ir::Node* node = &rounded;
  for (std::size_t i = 0; i < kMostSteps; ++i) {
    ir::Node* const reader = only_reader(*node);
    if (reader == nullptr || !(reader->is_one_of(kSumsAndFactors) || unary_function(*reader))) return {};
    if (std::ranges::all_of(reader->output(0).uses, is_rounding)) return reader->value();
    node = reader;
  }
  return {};
}

/// The operand of `node` that is not a constant, the first one of two; null for operations that have none.
ir::Value first_operand(const ir::Node& node) {
  if (node.is_one_of(kSumsAndFactors)) return known_number(node.input(0)) ? node.input(1) : node.input(0);
  return unary_function(node) ? node.input(0) : ir::Value{};
}

/// Whether `rounded` can be dropped: its results are rounded again, and its data, a function of another
/// FakeQuantize, is never more than a step of 8 bits outside of its bounds.
bool only_adds_noise(ir::FakeQuantizeView rounded) {
  const ir::Value next = next_rounded_value(rounded);
  const auto grid = grid_of(rounded);
  if (!next || !grid || !grid->is_fine()) return false;
  const double step = sampled(*grid).step();
  const auto is_kept = [&](double number) {
    return number >= grid->low - step && number <= grid->high + step;
  };
  ir::Value source = rounded.data();
  for (std::size_t i = 0; source && i < kMostSteps; ++i, source = first_operand(*source.node)) {
    const auto x = ir::match<ir::FakeQuantizeView>(source);
    const auto numbers = x ? grid_of(*x) : std::nullopt;
    if (!numbers || !numbers->is_fine()) continue;
    const auto sample = [&, all = numbers_of(sampled(*numbers))](ir::Value value) {
      return Sampler{*x, all}.sample(value);
    };
    const auto samples = sample(rounded.data());
    if (samples && sample(next)) return std::ranges::all_of(*samples, is_kept);
  }
  return false;
}

/// The first FakeQuantize of the same data that gives the same numbers, if it is another one. Some quantisers
/// write one for each reader.
ir::Value first_equal_rounding(ir::FakeQuantizeView rounded) {
  constexpr std::size_t kMostUses = 16;
  const auto& uses = rounded.data().output().uses;
  for (std::size_t i = 0; i < std::min(uses.size(), kMostUses); ++i) {
    const auto other = ir::match<ir::FakeQuantizeView>(*uses[i].node);
    if (!other || !are_equal_roundings(*other, rounded)) continue;
    return &other->node() == &rounded.node() ? ir::Value{} : uses[i].node->value();
  }
  return {};
}

ir::Value drop(ir::Builder&, ir::FakeQuantizeView rounded) {
  return only_adds_noise(rounded) ? rounded.data() : first_equal_rounding(rounded);
}

}  // namespace

bool round_activations_once(ir::Model& model, PassContext& context) {
  if (context.options->quantization == Quantization::exact) return false;
  return rewrite_values(model, {ops::FakeQuantize}, drop);
}

}  // namespace onnx2ir::passes
