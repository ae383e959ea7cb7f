// Constants and arithmetic with them.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether `number` equals `expected` within the precision of `type`, or within that of the digits that
/// exporters write.
bool is_near(double number, double expected, ir::ElementType type);
/// Whether `value` is a constant near `expected`.
bool is_number(ir::Value value, double expected);
/// The element of a value of one known number, also of an integer.
std::optional<double> known_number(ir::Value value);
/// Whether all elements are known, and `holds` is true for each of them.
template <typename Predicate>
bool are_known(ir::Value value, Predicate holds) {
  if (const auto number = known_number(value)) return holds(*number);
  const auto numbers = ir::exact_numbers(value);
  return numbers && std::ranges::all_of(*numbers, holds);
}
/// Whether all elements are known to be `expected`.
bool are_all(ir::Value value, double expected);
/// Whether all elements of an integer value are known to be at least `least`.
bool are_at_least(ir::Value value, std::int64_t least);
/// Whether the number and its reciprocal are powers of two that all floating-point types have.
bool is_power_of_two(double number);
/// Whether all elements are known to be finite.
bool are_finite(ir::Value value);
/// Whether `a` and `b` are the same value, or constants of the same few elements.
bool are_equal(ir::Value a, ir::Value b);
/// If `value` is the commutative `op` of an operand and `number`, the operand; null otherwise.
ir::Value other_operand(ir::Value value, ir::Op op, double number);

inline constexpr std::size_t kMaxFactors = 4;

/// coefficient * factors[0] * factors[1] ...
struct Product {
  double coefficient = 1;
  base::SmallVector<ir::Value, kMaxFactors> factors;
};
/// The factors of `root`, a product with any grouping. Intermediate products with other uses stay factors.
/// Returns no factors if there are more than kMaxFactors.
Product product_of(ir::Value root);

/// The magnitudes of the finite elements of a constant that are not 0. Both are 0 if there are none.
struct Magnitudes {
  double smallest;
  double largest;
};

/// No value if `value` is not a constant of numbers, or if it has more bytes than `most_bytes`.
std::optional<Magnitudes> magnitudes(ir::Value value, std::uint64_t most_bytes);

/// A sum, difference or product of a value and a constant in any order, or a quotient of a value and a
/// constant.
struct ConstantStep {
  ir::Value operand;
  ir::Value constant;
};

/// The operand is null if `node` is something else, or neither operand is computed from constants.
ConstantStep constant_step(const ir::Node& node);

}  // namespace onnx2ir::passes
