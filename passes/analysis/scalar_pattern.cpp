#include "passes/analysis/scalar_pattern.hpp"

#include <cmath>

#include "ir/builder.hpp"
#include "passes/analysis/uses.hpp"

namespace onnx2ir::passes {

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

ir::Value other_operand(ir::Value value, ir::Op op, double number) {
  const ir::Node& node = *value.node;
  if (!node.is(op)) return {};
  if (is_number(node.input(1), number)) return node.input(0);
  if (is_number(node.input(0), number)) return node.input(1);
  return {};
}

Product product_of(ir::Value root) {
  Product product;
  base::SmallVector<ir::Value, kMaxFactors> open{root};
  while (!open.empty()) {
    const ir::Value value = open.back();
    open.pop_back();
    const ir::Node& node = *value.node;
    const bool may_open = value == root || is_used_once(value);
    if (const auto number = ir::exact_number(value)) {
      product.coefficient *= *number;
    } else if (may_open && node.is(ops::Multiply)) {
      open.push_back(node.input(0));
      open.push_back(node.input(1));
    } else if (may_open && node.is(ops::Divide) && ir::exact_number(node.input(1)).value_or(0) != 0) {
      product.coefficient /= *ir::exact_number(node.input(1));
      open.push_back(node.input(0));
    } else {
      product.factors.push_back(value);
    }
    if (open.size() + product.factors.size() > kMaxFactors) return {};
  }
  return product;
}

}  // namespace onnx2ir::passes
