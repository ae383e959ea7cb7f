// Recognises arithmetic with numbers that are known: the building blocks of decomposed activations.
#pragma once

#include <optional>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether `number` is `expected` as far as `type` can tell them apart, and exporters write it out.
bool is_near(double number, double expected, ir::ElementType type);
/// Whether `value` is a constant near `expected`.
bool is_number(ir::Value value, double expected);
/// The other operand when `value` is the commutative `op` of something and `number`; null otherwise.
ir::Value beside_number(ir::Value value, ir::Op op, double number);
/// Whether only one input in the graph reads `value`.
bool is_used_once(ir::Value value);

inline constexpr std::size_t kMostFactors = 4;

/// coefficient * factors[0] * factors[1] ...
struct Product {
  double coefficient = 1;
  ir::SmallVector<ir::Value, kMostFactors> factors;
};
/// Takes apart `root`, a product with any grouping of its factors; intermediate results that somebody else
/// reads stay factors. No factors when there would be more than the patterns here have.
Product product_of(ir::Value root);

}  // namespace onnx2ir::passes
