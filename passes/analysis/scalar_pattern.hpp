// Matches arithmetic with constant numbers: the parts of decomposed activations.
#pragma once

#include <optional>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether `number` equals `expected` within the precision of `type`, or within that of the digits that
/// exporters write.
bool is_near(double number, double expected, ir::ElementType type);
/// Whether `value` is a constant near `expected`.
bool is_number(ir::Value value, double expected);
/// If `value` is the commutative `op` of an operand and `number`, the operand; null otherwise.
ir::Value other_operand(ir::Value value, ir::Op op, double number);

inline constexpr std::size_t kMaxFactors = 4;

/// coefficient * factors[0] * factors[1] ...
struct Product {
  double coefficient = 1;
  base::SmallVector<ir::Value, kMaxFactors> factors;
};
/// The factors of `root`, a product with any grouping. Intermediate products with other uses stay factors.
/// Returns no factors if there are more than any pattern here needs.
Product product_of(ir::Value root);

}  // namespace onnx2ir::passes
