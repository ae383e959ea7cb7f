#include "passes/analysis/constant_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "ir/builder.hpp"
#include "ir/views/elementwise.hpp"
#include "passes/analysis/operation_groups.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

void widen(Magnitudes& range, double number) {
  if (!std::isfinite(number) || number == 0) return;
  const double size = std::abs(number);
  range.smallest = range.largest == 0 ? size : std::min(range.smallest, size);
  range.largest = std::max(range.largest, size);
}

/// Compares the bits, which have the order of the magnitudes. Without branches, so that compilers use
/// vectors.
Magnitudes magnitudes_of_floats(std::span<const std::byte> bytes) {
  constexpr std::int32_t kMagnitude = 0x7fffffff;
  constexpr std::int32_t kInfinity = 0x7f800000;
  std::int32_t smallest = kInfinity;
  std::int32_t largest = 0;
  for (std::size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
    std::int32_t bits = 0;
    std::memcpy(&bits, bytes.data() + i, sizeof bits);
    bits &= kMagnitude;
    const bool counts = bits > 0 && bits < kInfinity;
    smallest = std::min(smallest, counts ? bits : kInfinity);
    largest = std::max(largest, counts ? bits : 0);
  }
  if (largest == 0) return {0, 0};
  return {std::bit_cast<float>(smallest), std::bit_cast<float>(largest)};
}

}  // namespace

bool is_near(double number, double expected, ir::ElementType type) {
  double tolerance = 1e-2;
  if (type == ir::ElementType::f16) tolerance = 1e-3;
  if (type == ir::ElementType::f32 || type == ir::ElementType::f64) tolerance = 1e-5;
  return std::abs(number - expected) <= tolerance * std::abs(expected);
}

bool is_number(ir::Value value, double expected) {
  const auto number = ir::exact_number(value);
  return number && is_near(*number, expected, value.type());
}

std::optional<double> known_number(ir::Value value) {
  if (value.shape().element_count() != 1) return std::nullopt;
  const ir::ConstantData* const data = value.node->constant();
  return data != nullptr ? ir::decode_number(value.type(), data->bytes_in_memory())
                         : ir::exact_number(value, 0);
}

bool are_all(ir::Value value, double expected) {
  return are_known(value, [&](double number) { return number == expected; });
}

bool are_at_least(ir::Value value, std::int64_t least) {
  const auto known = ir::known_values(value);
  return known &&
         std::ranges::all_of(*known, [&](const ir::ValueRange& range) { return range.min >= least; });
}

bool is_power_of_two(double number) {
  constexpr int kLargestExponent = 14;
  int exponent = 0;
  return std::abs(std::frexp(number, &exponent)) == 0.5 && std::abs(exponent) <= kLargestExponent;
}

bool are_finite(ir::Value value) {
  return are_known(value, [](double number) { return std::isfinite(number); });
}

bool are_equal(ir::Value a, ir::Value b) {
  if (a == b) return true;
  const ir::ConstantData* const first = a.node->constant();
  const ir::ConstantData* const second = b.node->constant();
  constexpr std::size_t kMaxBytes = 8;
  return first != nullptr && second != nullptr && a.type() == b.type() && a.shape() == b.shape() &&
         first->size() <= kMaxBytes && std::ranges::equal(first->bytes().span(), second->bytes().span());
}

ir::Value other_operand(ir::Value value, ir::Op op, double number) {
  ir::Value operand;
  return matches(value, commutative(op, any(operand), passes::number(number))) ? operand : ir::Value{};
}

Product product_of(ir::Value root) {
  Product product;
  base::SmallVector<ir::Value, kMaxFactors> open{root};
  constexpr int kMostSteps = 64;
  for (int step = 0; !open.empty(); ++step) {
    if (step == kMostSteps) return {};
    const ir::Value value = open.back();
    open.pop_back();
    const bool may_open = value == root || is_used_once(value);
    const auto multiply = may_open ? ir::match<ir::MultiplyView>(value) : std::nullopt;
    const auto divide = may_open ? ir::match<ir::DivideView>(value) : std::nullopt;
    const double divisor = divide ? ir::exact_number(divide->b()).value_or(0) : 0;
    if (const auto number = ir::exact_number(value)) {
      product.coefficient *= *number;
    } else if (multiply) {
      open.push_back(multiply->a());
      open.push_back(multiply->b());
    } else if (divisor != 0) {
      product.coefficient /= divisor;
      open.push_back(divide->a());
    } else {
      product.factors.push_back(value);
    }
    if (open.size() + product.factors.size() > kMaxFactors) return {};
  }
  return product;
}

std::optional<Magnitudes> magnitudes(ir::Value value, std::uint64_t most_bytes) {
  const ir::ConstantData* const data = value.node->constant();
  if (data == nullptr || data->size() > most_bytes) return std::nullopt;
  Magnitudes range{0, 0};
  // Without a list of doubles: every sum of a model is examined, several times.
  if (value.type() == ir::ElementType::f32) {
    const auto bytes = data->bytes_in_memory();
    return bytes.size() == data->size() ? magnitudes_of_floats(bytes) : magnitudes_of_floats(data->bytes());
  }
  const auto numbers = ir::decode_numbers(value.type(), data->bytes(),
                                          static_cast<std::size_t>(*value.shape().element_count()));
  if (!numbers) return std::nullopt;
  for (const double number : *numbers) widen(range, number);
  return range;
}

ConstantStep constant_step(const ir::Node& node) {
  if (!node.is_one_of(kSumsAndFactors)) return {};
  if (ir::is_computed_from_constants(node.input(1))) return {node.input(0), node.input(1)};
  if (!node.is(ops::Divide) && ir::is_computed_from_constants(node.input(0)))
    return {node.input(1), node.input(0)};
  return {};
}

}  // namespace onnx2ir::passes
