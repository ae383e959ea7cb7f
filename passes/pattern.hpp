// Patterns of nodes, as expressions of the form that they match:
//     ir::Value x;
//     matches(value, op(ops::Subtract, any(x), op(ops::ReduceMean, same(x), any())))
// A pattern is a function of a value; a function of a pass can be a part of a larger pattern. Values are set
// from the left to the right, also if the pattern fails later.
#pragma once

#include <cstdint>

#include "ir/graph.hpp"
#include "ir/known_values.hpp"
#include "passes/analysis/constant_values.hpp"

namespace onnx2ir::passes {

template <typename Pattern>
bool matches(ir::Value value, const Pattern& pattern) {
  return pattern(value);
}

/// Any value.
inline auto any() {
  return [](ir::Value) { return true; };
}
/// Any value, which `found` becomes.
inline auto any(ir::Value& found) {
  return [&found](ir::Value value) {
    found = value;
    return true;
  };
}
/// A value that matches `pattern`, which `found` becomes.
template <typename Pattern>
auto any(ir::Value& found, Pattern pattern) {
  return [&found, pattern](ir::Value value) {
    found = value;
    return pattern(value);
  };
}
/// The value that `expected`, which must outlive the pattern, has when this part of it is reached.
inline auto same(const ir::Value& expected) {
  return [&expected](ir::Value value) { return value == expected; };
}
auto same(const ir::Value&& expected) = delete;
/// A constant near `expected`.
inline auto number(double expected) {
  return [expected](ir::Value value) { return is_number(value, expected); };
}
/// A value of one element, which is known to be the integer or boolean `expected`.
inline auto integer(std::int64_t expected) {
  return [expected](ir::Value value) { return ir::known_scalar(value) == expected; };
}

/// An operation whose first operands match.
template <typename... Patterns>
auto op(ir::Op operation, Patterns... operands) {
  return [=](ir::Value value) {
    if (!value.node->is(operation) || value.node->inputs().size() < sizeof...(operands)) return false;
    [[maybe_unused]] std::size_t index = 0;
    return (operands(value.node->input(index++)) && ...);
  };
}
/// An operation whose two operands match in either order.
template <typename First, typename Second>
auto commutative(ir::Op operation, First first, Second second) {
  return [=](ir::Value value) {
    return op(operation, first, second)(value) || op(operation, second, first)(value);
  };
}

/// A Select of these operands, also in the form of legalize_types: b + condition * (a - b).
template <typename Condition, typename First, typename Second>
auto selection(Condition condition, First a, Second b) {
  return [=](ir::Value value) {
    if (op(ops::Select, condition, a, b)(value)) return true;
    ir::Value second;
    const auto difference = op(ops::Subtract, a, same(second));
    const auto chosen = op(ops::Multiply, op(ops::Select, condition, integer(1), integer(0)), difference);
    return op(ops::Add, any(second, b), chosen)(value);
  };
}

}  // namespace onnx2ir::passes
