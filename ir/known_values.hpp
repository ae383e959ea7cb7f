// What is known at conversion time of the elements of small tensors: the one interface to them.
//
//     known_values   an interval for each element, in OpenVINO's inference as well
//     exact_values   integers and booleans, all of them exact
//     exact_numbers  elements of any numeric type, all of them exact
//     known_scalar   the integer or boolean of a value of one element: a trip count, a condition
//     exact_number   the floating-point constant of one element
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "ir/checked_list.hpp"

namespace onnx2ir::ir {

struct Value;

/// What is known of one element. Of integers and booleans: an interval, exact when both ends are equal. Of
/// floating-point numbers: the number itself or nothing, as both ends hold its bits (see of_number). Code
/// that only moves elements can ignore the difference.
struct ValueRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  static constexpr ValueRange exactly(std::int64_t value) { return {value, value}; }
  static constexpr ValueRange of_number(double number) {
    return exactly(std::bit_cast<std::int64_t>(number));
  }
  /// The floating-point number, of which is_exact() holds.
  constexpr double number() const { return std::bit_cast<double>(min); }
  constexpr bool is_exact() const { return min == max; }
  friend constexpr bool operator==(const ValueRange&, const ValueRange&) = default;
};
/// Elements of a small tensor in C order.
using KnownValues = CheckedList<ValueRange>;
/// Larger tensors are not looked at: these are shapes, axes and counts.
inline constexpr std::int64_t kMostKnownElements = 1024;

/// What is known of the elements: constants, dimensions and what is computed from them, each with a lower and
/// an upper bound. Nothing for all other values, as soon as one element comes from elsewhere: so it is in
/// OpenVINO's inference, which ours must equal.
std::optional<KnownValues> known_values(Value value);
/// All elements of an integer or boolean constant or of a value that inference knows wholly.
std::optional<Integers> exact_values(Value value);
/// The same as numbers, also of floating-point values.
std::optional<Numbers> exact_numbers(Value value);
/// The integer or boolean of a value of one element.
std::optional<std::int64_t> known_scalar(Value value);
/// The floating-point number that a constant of one element holds.
std::optional<double> exact_number(Value value);

}  // namespace onnx2ir::ir
