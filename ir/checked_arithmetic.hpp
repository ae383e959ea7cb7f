// Arithmetic on sizes and positions that come from a model. A result that does not fit into 64 bits is an
// error in the model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnx2ir::ir {

/// Throws Failure (invalid_node): a size or position does not fit into 64 bits.
[[noreturn]] void fail_overflow();
/// Throws Failure (invalid_node): a size is divided by a number that is not positive.
[[noreturn]] void fail_division(std::int64_t divisor);

inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) fail_overflow();
  return result;
}
inline std::int64_t checked_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) fail_overflow();
  return result;
}
inline std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) fail_overflow();
  return result;
}
/// `a` divided by a size or stride, which must be positive; rounds toward zero.
inline std::int64_t checked_divide(std::int64_t a, std::int64_t divisor) {
  if (divisor <= 0) fail_division(divisor);
  return a / divisor;
}

/// `a` / `b`, rounded down. `b` is neither 0 nor, if `a` is the least number, -1.
constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// The most elements that the converter creates for one constant or list because of a number in the model.
/// Elements stored in the model do not count.
inline constexpr std::int64_t kMaxMadeElements = std::int64_t{1} << 24;
/// Throws Failure (invalid_node): `count` is negative or larger than `most`.
[[noreturn]] void fail_count(std::int64_t count, std::int64_t most);
/// `count` as the size of a list; throws Failure (invalid_node) if it is negative or larger than `most`.
inline std::size_t checked_count(std::int64_t count, std::int64_t most = kMaxMadeElements) {
  if (count < 0 || count > most) fail_count(count, most);
  return static_cast<std::size_t>(count);
}
/// `number` as a size; throws Failure (invalid_node) if it is NaN, negative, or does not fit into 64 bits.
std::int64_t checked_size(double number);

}  // namespace onnx2ir::ir
