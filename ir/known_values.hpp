// The elements of small tensors that are known at conversion time. All other code uses this interface to
// them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "ir/checked_list.hpp"

namespace onnx2ir::ir {

struct Value;
class Node;

/// What is known of one element. For integers and booleans: an interval, exact if both ends are equal. For
/// floating-point numbers: the exact number, whose bits both ends hold (see of_number), or nothing. Code that
/// only moves elements can ignore the encoding.
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
inline bool are_exact(const KnownValues& known) {
  return std::ranges::all_of(known, &ValueRange::is_exact);
}
/// Larger tensors are not tracked: known values are for shapes, axes and counts.
inline constexpr std::int64_t kMaxKnownElements = 1024;

/// The known elements of constants, dimensions, and values computed from them, each with a lower and an upper
/// bound. No value if any element has another source, as in OpenVINO's inference, which ours must match.
std::optional<KnownValues> known_values(Value value);
/// All elements of an integer or boolean value, if they are constant or inference knows them exactly.
std::optional<Integers> exact_values(Value value);
/// The same as numbers, also of floating-point values.
std::optional<Numbers> exact_numbers(Value value);
/// The element of an integer or boolean value that has exactly one, such as a trip count, if it fits into 64
/// bits with a sign.
std::optional<std::int64_t> known_scalar(Value value);
/// The element of a floating-point constant that has exactly one.
std::optional<double> exact_number(Value value);
/// Element `index` of a list [n] of any numeric type, if it is exact. The other elements of a Concat need not
/// be.
std::optional<double> exact_number(Value list, std::size_t index);
/// The axis of the data that each axis of the Transpose's result is. A constant without elements means the
/// reversed order, which is known if the rank is.
std::optional<Integers> exact_order(const Node& node);

}  // namespace onnx2ir::ir
