// Interval arithmetic on the known values of small integer tensors. Results that overflow are unknown.
#pragma once

#include <optional>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// A function of intervals. Ends at the limits of int64 mean infinity.
using RangeFunction2 = ValueRange (*)(ValueRange a, ValueRange b);
using RangeFunction1 = ValueRange (*)(ValueRange a);

ValueRange add(ValueRange a, ValueRange b);
ValueRange subtract(ValueRange a, ValueRange b);
ValueRange multiply(ValueRange a, ValueRange b);
/// Rounds toward zero.
ValueRange divide_truncating(ValueRange a, ValueRange b);
/// Rounds toward minus infinity.
ValueRange divide_flooring(ValueRange a, ValueRange b);
/// Remainders with the sign of the dividend, and with that of the divisor.
ValueRange remainder_truncating(ValueRange a, ValueRange b);
ValueRange remainder_flooring(ValueRange a, ValueRange b);
ValueRange power(ValueRange a, ValueRange b);
ValueRange minimum(ValueRange a, ValueRange b);
ValueRange maximum(ValueRange a, ValueRange b);
ValueRange negate(ValueRange a);
ValueRange absolute(ValueRange a);
ValueRange sign(ValueRange a);

// Truth values are the intervals [0, 0] (false), [1, 1] (true) and [0, 1] (either).
ValueRange equal(ValueRange a, ValueRange b);
ValueRange less(ValueRange a, ValueRange b);
ValueRange less_or_equal(ValueRange a, ValueRange b);
ValueRange logical_and(ValueRange a, ValueRange b);
ValueRange logical_or(ValueRange a, ValueRange b);
ValueRange logical_xor(ValueRange a, ValueRange b);
ValueRange logical_not(ValueRange a);
/// Whether a value is not zero.
ValueRange truth(ValueRange a);

/// The integers that `type` can hold, those of u64 up to the greatest int64; no value for types of other
/// elements than integers and booleans.
std::optional<ValueRange> integer_limits(ElementType type);
/// `a` if `type` can hold all of it, otherwise the unknown interval.
ValueRange fit(ValueRange a, ElementType type);

/// Applies `function` to the integer elements of inputs 0 and 1 of `node`, broadcast to the shape of its
/// output, and sets the known values of the output. The output's type and shape must have been set.
void propagate(Node& node, RangeFunction2 function);
/// The same for the elements of input 0.
void propagate(Node& node, RangeFunction1 function);

/// A generic function on numbers of one floating-point type.
struct NumberFunction1 {
  template <typename Function>
  explicit constexpr NumberFunction1(Function function) : of_float(function), of_double(function) {}
  float (*of_float)(float);
  double (*of_double)(double);
};
struct NumberFunction2 {
  template <typename Function>
  explicit constexpr NumberFunction2(Function function) : of_float(function), of_double(function) {}
  float (*of_float)(float, float);
  double (*of_double)(double, double);
};
/// The same for known floating-point elements: f32 and f64, computed as in the runtime.
void propagate(Node& node, NumberFunction2 function);
void propagate(Node& node, NumberFunction1 function);
/// For a boolean output of floating-point inputs.
void propagate(Node& node, bool (*predicate)(double, double));
/// One of these, depending on the type of the inputs.
template <typename OfNumbers, typename OfRanges>
void propagate(Node& node, OfNumbers of_numbers, OfRanges of_ranges) {
  if (is_floating(node.input(0).type())) {
    propagate(node, of_numbers);
  } else {
    propagate(node, of_ranges);
  }
}

/// An element of type `from` converted to type `to`; unknown if it does not fit.
ValueRange converted(ValueRange element, ElementType from, ElementType to);

/// Elements of `value` broadcast (numpy) to `sizes`.
std::optional<KnownValues> known_broadcast(Value value, std::span<const std::int64_t> sizes);

}  // namespace onnx2ir::ir
