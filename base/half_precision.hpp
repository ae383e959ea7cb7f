// Converts many single and double precision numbers to half precision.
#pragma once

#include <cstdint>
#include <span>

namespace onnx2ir::base {

/// How well numbers fit into half precision. The counts of several parts can be added.
struct HalfPrecisionFit {
  std::uint64_t too_large = 0;  ///< finite, but beyond the largest half precision number
  std::uint64_t rejected = 0;   ///< outside the range of half precision, or with an error above the tolerance
  bool has_large_error = false;  ///< a number in the range has an error above 1

  HalfPrecisionFit& operator+=(const HalfPrecisionFit& other) {
    too_large += other.too_large;
    rejected += other.rejected;
    has_large_error = has_large_error || other.has_large_error;
    return *this;
  }
};

/// Examines numbers; a relative error of up to `tolerance` is accepted.
HalfPrecisionFit half_precision_fit(std::span<const float> numbers, double tolerance);
HalfPrecisionFit half_precision_fit(std::span<const double> numbers, double tolerance);

/// Rounds to nearest, ties to even. Finite numbers beyond the largest half become the largest; infinities and
/// NaN are kept. `halves` has the size of `numbers`.
void to_half_precision(std::span<const float> numbers, std::span<std::uint16_t> halves);
void to_half_precision(std::span<const double> numbers, std::span<std::uint16_t> halves);

}  // namespace onnx2ir::base
