#include "base/half_precision.hpp"

#include <bit>
#include <cmath>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace onnx2ir::base {
namespace {

constexpr float kLargest = 65504.0F;
constexpr float kSmallest = 0x1p-24F;
constexpr float kLargeError = 1.0F;

/// Converts to half precision with integer operations, because not every processor has an instruction for it.
std::uint16_t half_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const auto sign = static_cast<std::uint16_t>(bits >> 16U & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  constexpr std::uint32_t kInfinity = 0x7f800000;
  if (magnitude > kInfinity) return static_cast<std::uint16_t>(sign | 0x7e00U | (magnitude >> 13U & 0x3ffU));
  if (magnitude == kInfinity) return sign | 0x7c00U;
  if (magnitude >= std::bit_cast<std::uint32_t>(kLargest)) return sign | 0x7bffU;
  if (magnitude < std::bit_cast<std::uint32_t>(0x1p-14F)) {
    // Adding 0.5, whose last bit is 2^-24, makes the addition round at the last bit of a subnormal half.
    constexpr float kRounder = 0.5F;
    const float sum = std::bit_cast<float>(magnitude) + kRounder;
    return static_cast<std::uint16_t>(
        sign | (std::bit_cast<std::uint32_t>(sum) - std::bit_cast<std::uint32_t>(kRounder)));
  }
  const std::uint32_t is_odd = magnitude >> 13U & 1U;
  const std::uint32_t rebased = magnitude - (std::uint32_t{127 - 15} << 23U);
  return static_cast<std::uint16_t>(sign | (rebased + 0xfffU + is_odd) >> 13U);
}

float single_of(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16U;
  const std::uint32_t magnitude = half & 0x7fffU;
  if (magnitude >= 0x7c00U) return std::bit_cast<float>(sign | 0x7f800000U | (magnitude & 0x3ffU) << 13U);
  // Reads the bits as a single with the exponent of a half, which is too small by 2^112. The multiplication
  // is also exact for subnormals.
  return std::bit_cast<float>(
      sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13U) * 0x1p112F));
}

/// A single that rounds to the same half as `number`: truncated toward zero, with the last bit set if that
/// was inexact (round to odd).
float round_to_odd(double number) {
  auto single = static_cast<float>(number);
  if (!std::isfinite(number)) return single;
  if (std::fabs(static_cast<double>(single)) > std::fabs(number)) single = std::nextafter(single, 0.0F);
  if (static_cast<double>(single) == number) return single;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(single) | 1U);
}

void add(HalfPrecisionFit& fit, float number, float tolerance) {
  const float magnitude = std::fabs(number);
  const bool is_too_large = magnitude > kLargest;
  const bool is_outside = is_too_large || (magnitude < kSmallest && magnitude != 0) || std::isnan(number);
  fit.too_large += is_too_large && magnitude <= std::numeric_limits<float>::max() ? 1 : 0;
  if (is_outside) {
    ++fit.rejected;
    return;
  }
  const float error = std::fabs(single_of(half_of(number)) - number);
  if (error > kLargeError) fit.has_large_error = true;
  if (error > tolerance * magnitude) ++fit.rejected;
}

void convert_one_by_one(std::span<const float> numbers, std::span<std::uint16_t> halves) {
  for (std::size_t i = 0; i < numbers.size(); ++i) halves[i] = half_of(numbers[i]);
}

HalfPrecisionFit fit_one_by_one(std::span<const float> numbers, float tolerance) {
  HalfPrecisionFit fit;
  for (const float number : numbers) add(fit, number, tolerance);
  return fit;
}

#if defined(__x86_64__)

bool has_half_precision_instructions() {
  // Once: in a virtual machine, the hypervisor executes CPUID, which takes tens of microseconds.
  static const bool has_instructions = [] {
    // Clang 14's __builtin_cpu_supports does not accept "f16c".
    unsigned int a = 0;
    unsigned int b = 0;
    unsigned int c = 0;
    unsigned int d = 0;
    const bool has_f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
    return has_f16c && __builtin_cpu_supports("avx2") != 0;
  }();
  return has_instructions;
}

__attribute__((target("avx2,f16c"))) void convert_by_eights(std::span<const float> numbers,
                                                            std::span<std::uint16_t> halves) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  const __m256 largest = _mm256_set1_ps(kLargest);
  const __m256 infinity = _mm256_set1_ps(std::numeric_limits<float>::infinity());
  std::size_t i = 0;
  for (; i + 8 <= numbers.size(); i += 8) {
    const __m256 number = _mm256_loadu_ps(numbers.data() + i);
    const __m256 magnitude = _mm256_andnot_ps(sign, number);
    const __m256 is_too_large = _mm256_and_ps(_mm256_cmp_ps(magnitude, largest, _CMP_GT_OQ),
                                              _mm256_cmp_ps(magnitude, infinity, _CMP_LT_OQ));
    const __m256 clamped = _mm256_or_ps(largest, _mm256_and_ps(sign, number));
    const __m128i half =
        _mm256_cvtps_ph(_mm256_blendv_ps(number, clamped, is_too_large), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(halves.data() + i), half);
  }
  convert_one_by_one(numbers.subspan(i), halves.subspan(i));
}

__attribute__((target("avx2,f16c"))) HalfPrecisionFit fit_by_eights(std::span<const float> numbers,
                                                                    float tolerance) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  const __m256 largest = _mm256_set1_ps(kLargest);
  const __m256 smallest = _mm256_set1_ps(kSmallest);
  const __m256 infinity = _mm256_set1_ps(std::numeric_limits<float>::infinity());
  const __m256 most_error = _mm256_set1_ps(kLargeError);
  const __m256 most_relative_error = _mm256_set1_ps(tolerance);
  HalfPrecisionFit fit;
  int large_errors = 0;
  std::size_t i = 0;
  for (; i + 8 <= numbers.size(); i += 8) {
    const __m256 number = _mm256_loadu_ps(numbers.data() + i);
    const __m256 magnitude = _mm256_andnot_ps(sign, number);
    // "Not less or equal" instead of "greater", so that NaN is included.
    const __m256 is_large = _mm256_cmp_ps(magnitude, largest, _CMP_NLE_UQ);
    const __m256 is_small = _mm256_and_ps(_mm256_cmp_ps(magnitude, smallest, _CMP_LT_OQ),
                                          _mm256_cmp_ps(magnitude, _mm256_setzero_ps(), _CMP_GT_OQ));
    const __m256 is_outside = _mm256_or_ps(is_large, is_small);
    const __m256 back = _mm256_cvtph_ps(_mm256_cvtps_ph(number, _MM_FROUND_TO_NEAREST_INT));
    const __m256 error = _mm256_andnot_ps(sign, _mm256_sub_ps(back, number));
    const __m256 is_off = _mm256_cmp_ps(error, _mm256_mul_ps(most_relative_error, magnitude), _CMP_GT_OQ);
    const __m256 is_far_off = _mm256_andnot_ps(is_outside, _mm256_cmp_ps(error, most_error, _CMP_GT_OQ));
    const __m256 is_finite_large = _mm256_and_ps(is_large, _mm256_cmp_ps(magnitude, infinity, _CMP_LT_OQ));
    fit.rejected += static_cast<unsigned>(
        std::popcount(static_cast<unsigned>(_mm256_movemask_ps(_mm256_or_ps(is_outside, is_off)))));
    fit.too_large +=
        static_cast<unsigned>(std::popcount(static_cast<unsigned>(_mm256_movemask_ps(is_finite_large))));
    large_errors |= _mm256_movemask_ps(is_far_off);
  }
  fit.has_large_error = large_errors != 0;
  fit += fit_one_by_one(numbers.subspan(i), tolerance);
  return fit;
}

#endif

}  // namespace

HalfPrecisionFit half_precision_fit(std::span<const float> numbers, double tolerance) {
#if defined(__x86_64__)
  if (has_half_precision_instructions()) return fit_by_eights(numbers, static_cast<float>(tolerance));
#endif
  return fit_one_by_one(numbers, static_cast<float>(tolerance));
}

void to_half_precision(std::span<const float> numbers, std::span<std::uint16_t> halves) {
#if defined(__x86_64__)
  if (has_half_precision_instructions()) return convert_by_eights(numbers, halves);
#endif
  convert_one_by_one(numbers, halves);
}

HalfPrecisionFit half_precision_fit(std::span<const double> numbers, double tolerance) {
  HalfPrecisionFit fit;
  for (const double number : numbers) add(fit, round_to_odd(number), static_cast<float>(tolerance));
  return fit;
}

void to_half_precision(std::span<const double> numbers, std::span<std::uint16_t> halves) {
  for (std::size_t i = 0; i < numbers.size(); ++i) halves[i] = half_of(round_to_odd(numbers[i]));
}

}  // namespace onnx2ir::base
