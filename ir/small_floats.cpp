#include "ir/small_floats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "base/failure.hpp"
#include "base/portable_math.hpp"

namespace onnx2ir::ir {
namespace {

/// The layout of a format: sign bit unless `is_unsigned`, exponent, mantissa.
struct Format {
  ElementType type;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  enum class Specials : std::uint8_t { ieee, nan_only, none } specials;
  bool is_unsigned = false;
};

constexpr std::array kFormats = {
    Format{ElementType::f16, 5, 10, 15, Format::Specials::ieee},
    Format{ElementType::bf16, 8, 7, 127, Format::Specials::ieee},
    Format{ElementType::f8e5m2, 5, 2, 15, Format::Specials::ieee},
    // OCP 8-bit formats, 5.1: E4M3 has no infinity, and NaN only where all bits but the sign are set.
    Format{ElementType::f8e4m3, 4, 3, 7, Format::Specials::nan_only},
    // OCP Microscaling formats, 5.3.3 and 5.4.1.
    Format{ElementType::f4e2m1, 2, 1, 1, Format::Specials::none},
    Format{ElementType::f8e8m0, 8, 0, 127, Format::Specials::nan_only, true},
};

const Format* find_format(ElementType type) {
  const auto* const found = std::ranges::find(kFormats, type, &Format::type);
  return found == kFormats.end() ? nullptr : found;
}

const Format& format_of(ElementType type) {
  if (const Format* format = find_format(type)) return *format;
  throw base::InternalError("not a small float: " + std::string(info(type).name));
}

std::uint32_t all_ones(int bits) {
  return (1U << static_cast<unsigned>(bits)) - 1U;
}

/// The largest code of a finite number; codes are ordered like the magnitudes.
std::uint32_t largest_finite_code(const Format& format) {
  const std::uint32_t all = all_ones(format.exponent_bits + format.mantissa_bits);
  if (format.specials == Format::Specials::ieee) return all - all_ones(format.mantissa_bits) - 1U;
  return format.specials == Format::Specials::nan_only ? all - 1U : all;
}

double decode_magnitude(std::uint32_t code, const Format& format) {
  const auto mantissa = static_cast<double>(code & all_ones(format.mantissa_bits));
  const auto exponent = static_cast<int>(code >> static_cast<unsigned>(format.mantissa_bits));
  if (format.is_unsigned) return std::ldexp(1.0, exponent - format.bias);
  if (exponent == 0) return std::ldexp(mantissa, 1 - format.bias - format.mantissa_bits);
  return std::ldexp(mantissa + std::ldexp(1.0, format.mantissa_bits),
                    exponent - format.bias - format.mantissa_bits);
}

}  // namespace

bool is_small_float(ElementType type) {
  return find_format(type) != nullptr;
}

double decode_small_float(std::uint32_t bits, ElementType type) {
  const Format& format = format_of(type);
  const int magnitude_bits = format.exponent_bits + format.mantissa_bits;
  const std::uint32_t code = bits & all_ones(magnitude_bits);
  const bool negative = !format.is_unsigned && ((bits >> static_cast<unsigned>(magnitude_bits)) & 1U) != 0;
  double magnitude = 0;
  if (code <= largest_finite_code(format)) {
    magnitude = decode_magnitude(code, format);
  } else if (format.specials == Format::Specials::ieee && code == largest_finite_code(format) + 1U) {
    magnitude = std::numeric_limits<double>::infinity();
  } else {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  }
  return negative ? -magnitude : magnitude;
}

std::uint32_t encode_small_float(double value, ElementType type) {
  const Format& format = format_of(type);
  const int magnitude_bits = format.exponent_bits + format.mantissa_bits;
  const std::uint32_t largest = largest_finite_code(format);
  const std::uint32_t sign =
      std::signbit(value) && !format.is_unsigned ? 1U << static_cast<unsigned>(magnitude_bits) : 0U;
  if (std::isnan(value)) return sign | all_ones(magnitude_bits);
  const double magnitude = std::fabs(value);
  if (format.is_unsigned) {
    if (magnitude == 0 || value < 0) return 0;
    if (std::isinf(magnitude)) return all_ones(magnitude_bits);
    const int exponent = base::nearest_binary_exponent(magnitude) + format.bias;
    return exponent <= 0 ? 0U : std::min(static_cast<std::uint32_t>(exponent), all_ones(magnitude_bits));
  }
  // The spacing of numbers around `magnitude`. nearbyint rounds to even multiples of it, which have even
  // codes in every binade.
  const int exponent = magnitude == 0 ? 1 - format.bias : std::max(std::ilogb(magnitude), 1 - format.bias);
  const double unit = std::ldexp(1.0, exponent - format.mantissa_bits);
  const double rounded = std::nearbyint(magnitude / unit) * unit;
  if (std::isinf(magnitude) || rounded > decode_magnitude(largest, format)) {
    return sign | (format.specials == Format::Specials::none ? largest : largest + 1U);
  }
  if (rounded == 0) return sign;
  const int rounded_exponent = std::max(std::ilogb(rounded), 1 - format.bias);
  const auto multiple = static_cast<std::uint32_t>(
      std::ldexp(rounded, format.mantissa_bits - rounded_exponent));  // includes the hidden bit
  const auto biased = static_cast<std::uint32_t>(rounded_exponent - (1 - format.bias));
  return sign | (multiple + (biased << static_cast<unsigned>(format.mantissa_bits)));
}

std::optional<double> largest_finite(ElementType type) {
  if (type == ElementType::f32) return std::numeric_limits<float>::max();
  if (type == ElementType::f64) return std::numeric_limits<double>::max();
  const Format* const format = find_format(type);
  if (format == nullptr) return std::nullopt;
  return decode_magnitude(largest_finite_code(*format), *format);
}

}  // namespace onnx2ir::ir
