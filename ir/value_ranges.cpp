#include "ir/value_ranges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ir/checked_arithmetic.hpp"
#include "ir/element_moves.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::ir {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
constexpr ValueRange kUnknown{};
constexpr ValueRange kFalse{0, 0};
constexpr ValueRange kTrue{1, 1};
constexpr ValueRange kEither{0, 1};

/// Results are computed in 128 bits, where operations on two int64 cannot overflow, and saturated to int64.
__extension__ using Wide = __int128;

bool is_infinite(std::int64_t end) {
  return end == kLowest || end == kHighest;
}

std::int64_t saturate(Wide value) {
  if (value <= kLowest) return kLowest;
  return value >= kHighest ? kHighest : static_cast<std::int64_t>(value);
}

/// The sum of two lower ends or of two upper ends: infinite if one of them is.
std::int64_t add_ends(std::int64_t a, std::int64_t b) {
  if (is_infinite(a)) return a;
  if (is_infinite(b)) return b;
  return saturate(static_cast<Wide>(a) + b);
}

/// The product of two ends, where infinity times zero is zero.
std::int64_t multiply_ends(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (is_infinite(a) || is_infinite(b)) return (a < 0) == (b < 0) ? kHighest : kLowest;
  return saturate(static_cast<Wide>(a) * b);
}

template <typename Divide>
ValueRange divide(ValueRange a, ValueRange b, Divide divide_ends) {
  if (b.min <= 0 && b.max >= 0) return kUnknown;
  // While the divisor keeps its sign, quotients are monotonic in each operand: the extremes are at the ends.
  std::int64_t low = kHighest;
  std::int64_t high = kLowest;
  for (const std::int64_t x : {a.min, a.max}) {
    for (const std::int64_t y : {b.min, b.max}) {
      std::int64_t quotient = 0;
      if (is_infinite(x)) {
        quotient = (x < 0) == (y < 0) ? kHighest : kLowest;
      } else if (is_infinite(y)) {
        quotient = divide_ends(x, y > 0 ? kHighest : -kHighest);
      } else {
        quotient = divide_ends(x, y);
      }
      low = std::min(low, quotient);
      high = std::max(high, quotient);
    }
  }
  return {low, high};
}

ValueRange as_truth(bool certain, bool impossible) {
  return certain ? kTrue : impossible ? kFalse : kEither;
}

bool may_be_known(Value value) {
  return value.output().known != nullptr || value.node->constant() != nullptr;
}

/// Sets element i of output 0 to `combine` of the elements i of inputs 0 and 1.
template <typename Combine>
void propagate_pairs(Node& node, Combine combine) {
  if (!may_be_known(node.input(0)) || !may_be_known(node.input(1))) return;
  const auto sizes = node.output(0).shape.sizes();
  if (!sizes) return;
  const auto a = known_broadcast(node.input(0), *sizes);
  if (!a) return;
  const auto b = known_broadcast(node.input(1), *sizes);
  if (!b || a->size() != b->size()) return;
  KnownValues result(a->size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = combine((*a)[i], (*b)[i]);
  set_known(node, 0, std::move(result));
}

template <typename Change>
void propagate_elements(Node& node, Change change) {
  auto known = known_values(node.input(0));
  if (!known) return;
  for (ValueRange& range : *known) range = change(range);
  set_known(node, 0, *std::move(known));
}

/// The result of a function on numbers of `type`, which is f32 or f64; unknown unless all of them are known.
template <typename Function, typename... Ranges>
ValueRange of_numbers(ElementType type, const Function& function, Ranges... ranges) {
  if (!(ranges.is_exact() && ...)) return kUnknown;
  if (type == ElementType::f64) return ValueRange::of_number(function.of_double(ranges.number()...));
  return ValueRange::of_number(
      static_cast<double>(function.of_float(static_cast<float>(ranges.number())...)));
}

}  // namespace

ValueRange add(ValueRange a, ValueRange b) {
  return {add_ends(a.min, b.min), add_ends(a.max, b.max)};
}

ValueRange negate(ValueRange a) {
  const auto flip = [](std::int64_t end) {
    return end == kLowest ? kHighest : end == kHighest ? kLowest : -end;
  };
  return {flip(a.max), flip(a.min)};
}

ValueRange subtract(ValueRange a, ValueRange b) {
  return add(a, negate(b));
}

ValueRange multiply(ValueRange a, ValueRange b) {
  const std::array products{multiply_ends(a.min, b.min), multiply_ends(a.min, b.max),
                            multiply_ends(a.max, b.min), multiply_ends(a.max, b.max)};
  return {*std::ranges::min_element(products), *std::ranges::max_element(products)};
}

ValueRange divide_truncating(ValueRange a, ValueRange b) {
  return divide(a, b, [](std::int64_t x, std::int64_t y) { return x / y; });
}

ValueRange divide_flooring(ValueRange a, ValueRange b) {
  return divide(a, b, floor_divide);
}

ValueRange remainder_truncating(ValueRange a, ValueRange b) {
  if (a.is_exact() && b.is_exact())
    return b.min == 0 || b.min == -1 ? kUnknown : ValueRange::exactly(a.min % b.min);
  if (b.min < 1) return kUnknown;
  const std::int64_t largest = add_ends(b.max, -1);
  return {a.min >= 0 ? 0 : std::max(a.min, negate({0, largest}).min),
          a.max <= 0 ? 0 : std::min(a.max, largest)};
}

ValueRange remainder_flooring(ValueRange a, ValueRange b) {
  const ValueRange remainder = remainder_truncating(a, b);
  const bool has_other_sign = remainder.min != 0 && (remainder.min < 0) != (b.min < 0);
  if (remainder.is_exact()) return has_other_sign ? ValueRange::exactly(remainder.min + b.min) : remainder;
  if (b.min < 1 || remainder.min >= 0) return remainder;
  return {0, add_ends(b.max, -1)};
}

ValueRange power(ValueRange a, ValueRange b) {
  constexpr std::int64_t kMaxExponent = 64;
  if (!a.is_exact() || !b.is_exact() || b.min < 0 || b.min > kMaxExponent) return kUnknown;
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < b.min; ++i) {
    if (__builtin_mul_overflow(result, a.min, &result)) return kUnknown;
  }
  return ValueRange::exactly(result);
}

ValueRange minimum(ValueRange a, ValueRange b) {
  return {std::min(a.min, b.min), std::min(a.max, b.max)};
}

ValueRange maximum(ValueRange a, ValueRange b) {
  return {std::max(a.min, b.min), std::max(a.max, b.max)};
}

ValueRange absolute(ValueRange a) {
  if (a.min >= 0) return a;
  const ValueRange negated = negate(a);
  return a.max <= 0 ? negated : ValueRange{0, std::max(negated.max, a.max)};
}

ValueRange sign(ValueRange a) {
  const auto sign_of = [](std::int64_t end) { return std::int64_t{end > 0} - std::int64_t{end < 0}; };
  return {sign_of(a.min), sign_of(a.max)};
}

ValueRange equal(ValueRange a, ValueRange b) {
  return as_truth(a.is_exact() && b.is_exact() && a.min == b.min, a.max < b.min || b.max < a.min);
}

ValueRange less(ValueRange a, ValueRange b) {
  return as_truth(a.max < b.min, a.min >= b.max);
}

ValueRange less_or_equal(ValueRange a, ValueRange b) {
  return as_truth(a.max <= b.min, a.min > b.max);
}

ValueRange truth(ValueRange a) {
  return as_truth(a.min > 0 || a.max < 0, a == kFalse);
}

ValueRange logical_and(ValueRange a, ValueRange b) {
  return minimum(truth(a), truth(b));
}

ValueRange logical_or(ValueRange a, ValueRange b) {
  return maximum(truth(a), truth(b));
}

ValueRange logical_xor(ValueRange a, ValueRange b) {
  return logical_not(equal(truth(a), truth(b)));
}

ValueRange logical_not(ValueRange a) {
  return subtract(kTrue, truth(a));
}

std::optional<ValueRange> integer_limits(ElementType type) {
  if (type == ElementType::boolean) return kEither;
  if (!is_integral(type)) return std::nullopt;
  const unsigned unused = 64 - info(type).bits;
  if (is_signed_integral(type)) return ValueRange{kLowest >> unused, kHighest >> unused};
  return ValueRange{0, unused == 0 ? kHighest : static_cast<std::int64_t>(UINT64_MAX >> unused)};
}

ValueRange fit(ValueRange a, ElementType type) {
  const ValueRange limits = integer_limits(type).value_or(kUnknown);
  return a.min >= limits.min && a.max <= limits.max ? a : kUnknown;
}

std::optional<KnownValues> known_broadcast(Value value, std::span<const std::int64_t> sizes) {
  auto known = known_values(value);
  const auto from = value.shape().sizes();
  if (!known || !from || from->size() > sizes.size()) return std::nullopt;
  if (std::ranges::equal(*from, sizes)) return known;
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  if (count > kMaxKnownElements) return std::nullopt;
  KnownValues result;
  for (const std::int64_t position : repeated_positions(*from, {sizes.begin(), sizes.end()}, count))
    result.push_back((*known)[static_cast<std::size_t>(position)]);
  return result;
}

void propagate(Node& node, RangeFunction2 function) {
  const ElementType type = node.output(0).type;
  propagate_pairs(node, [&](ValueRange a, ValueRange b) { return fit(function(a, b), type); });
}

void propagate(Node& node, RangeFunction1 function) {
  const ElementType type = node.output(0).type;
  propagate_elements(node, [&](ValueRange a) { return fit(function(a), type); });
}

void propagate(Node& node, NumberFunction2 function) {
  const ElementType type = node.output(0).type;
  if (type != ElementType::f32 && type != ElementType::f64) return;
  propagate_pairs(node, [&](ValueRange a, ValueRange b) { return of_numbers(type, function, a, b); });
}

void propagate(Node& node, NumberFunction1 function) {
  const ElementType type = node.output(0).type;
  if (type != ElementType::f32 && type != ElementType::f64) return;
  propagate_elements(node, [&](ValueRange a) { return of_numbers(type, function, a); });
}

void propagate(Node& node, bool (*predicate)(double, double)) {
  propagate_pairs(node, [&](ValueRange a, ValueRange b) {
    if (!a.is_exact() || !b.is_exact()) return kEither;
    return predicate(a.number(), b.number()) ? kTrue : kFalse;
  });
}

ValueRange converted(ValueRange element, ElementType from, ElementType to) {
  const bool to_floating = is_floating(to);
  if (!is_floating(from)) {
    if (to == ElementType::boolean) return truth(element);
    if (!to_floating) return fit(element, to);
    // Up to here integers are exact in f32, and their sums and products are rounded as in the runtime.
    constexpr std::int64_t kExact = std::int64_t{1} << 24;
    const bool is_exact = element.is_exact() && element.min <= kExact && element.min >= -kExact;
    const bool is_wide = to == ElementType::f32 || to == ElementType::f64;
    return is_exact && is_wide ? ValueRange::of_number(static_cast<double>(element.min)) : kUnknown;
  }
  if (!element.is_exact()) return kUnknown;
  const double number = element.number();
  if (to == ElementType::boolean) return number != 0 ? kTrue : kFalse;
  if (!to_floating) {
    constexpr double kExact = 9007199254740992.0;
    if (!(std::abs(number) <= kExact)) return kUnknown;
    return fit(ValueRange::exactly(static_cast<std::int64_t>(number)), to);
  }
  if (to == ElementType::f64) return element;
  return to == ElementType::f32 ? ValueRange::of_number(static_cast<double>(static_cast<float>(number)))
                                : kUnknown;
}

}  // namespace onnx2ir::ir
