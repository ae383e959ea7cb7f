// Only operations that IEEE 754 defines to the last bit are used: + - * / and those on exponents. Numbers are
// sums of two doubles, with the algorithms of Dekker, "A floating-point technique for extending the available
// precision", 1971.
#include "base/portable_math.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace onnx2ir::base {
namespace {

/// The sum of two numbers; the second one is at most half of the last bit of the first one.
struct DoubleDouble {
  double high = 0;
  double low = 0;
};

DoubleDouble sum_of_ordered(double larger, double smaller) {
  const double high = larger + smaller;
  return {high, smaller - (high - larger)};
}

DoubleDouble exact_sum(double a, double b) {
  const double high = a + b;
  const double rest = high - a;
  return {high, (a - (high - rest)) + (b - rest)};
}

/// The upper 26 bits of a number, and the others.
DoubleDouble split(double a) {
  constexpr double kFactor = 134217729;  // 2^27 + 1
  const double scaled = kFactor * a;
  const double high = scaled - (scaled - a);
  return {high, a - high};
}

DoubleDouble exact_product(double a, double b) {
  const double high = a * b;
  const DoubleDouble x = split(a);
  const DoubleDouble y = split(b);
  return {high, ((x.high * y.high - high) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = exact_sum(a.high, b.high);
  const DoubleDouble low = exact_sum(a.low, b.low);
  const DoubleDouble sum = sum_of_ordered(high.high, high.low + low.high);
  return sum_of_ordered(sum.high, sum.low + low.low);
}

DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = exact_product(a.high, b.high);
  return sum_of_ordered(product.high, product.low + (a.high * b.low + a.low * b.high));
}

DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const DoubleDouble rest = add(a, multiply({-quotient, 0}, b));
  const double correction = rest.high / b.high;
  const DoubleDouble rest_of_rest = add(rest, multiply({-correction, 0}, b));
  return add(sum_of_ordered(quotient, correction), {rest_of_rest.high / b.high, 0});
}

constexpr DoubleDouble kLogarithmOf2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr DoubleDouble kLogarithmOf10{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
constexpr double kRootOfHalf = 0x1.6a09e667f3bcdp-1;

/// Of a positive, finite number.
DoubleDouble logarithm(double x) {
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  if (fraction < kRootOfHalf) {
    fraction *= 2;
    --exponent;
  }
  // log(f) = 2 atanh((f - 1) / (f + 1)). The quotient is at most 0.172, so 24 terms have 120 bits.
  const DoubleDouble quotient = divide({fraction - 1, 0}, exact_sum(fraction, 1));
  const DoubleDouble square = multiply(quotient, quotient);
  DoubleDouble series;
  for (int i = 23; i >= 0; --i) series = add(multiply(series, square), divide({1, 0}, {2.0 * i + 1, 0}));
  const DoubleDouble of_fraction = multiply(multiply(series, quotient), {2, 0});
  return add(multiply(kLogarithmOf2, {static_cast<double>(exponent), 0}), of_fraction);
}

/// e to the power of x, for |x| < 800.
double exponential(DoubleDouble x) {
  const double exponent = std::nearbyint(x.high / kLogarithmOf2.high);
  const DoubleDouble rest = add(x, multiply(kLogarithmOf2, {-exponent, 0}));
  // The rest is at most 0.35, so 28 terms have 130 bits.
  DoubleDouble series{1, 0};
  for (int i = 27; i >= 1; --i)
    series = add(multiply(divide(rest, {static_cast<double>(i), 0}), series), {1, 0});
  return std::ldexp(series.high, static_cast<int>(exponent));
}

bool is_ordinary(double x) {
  return std::isfinite(x) && x > 0;
}

}  // namespace

double power(double x, double y) {
  // C, annex F.10.4.4, defines all of these.
  if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0 || x == 1 || (x < 0 && std::trunc(y) != y)) {
    return std::pow(x, y);
  }
  const double sign = x < 0 && std::fmod(y, 2) != 0 ? -1 : 1;
  // Far outside of the range of exponents, and splitting such a number would overflow.
  constexpr double kLargestExponent = 0x1p+100;
  if (std::fabs(y) > kLargestExponent) {
    if (x == -1) return sign;
    return (std::fabs(x) > 1) == (y > 0) ? sign * std::numeric_limits<double>::infinity() : sign * 0.0;
  }
  const DoubleDouble exponent = multiply(logarithm(std::fabs(x)), {y, 0});
  constexpr double kLargestLogarithm = 750;
  if (exponent.high > kLargestLogarithm) return sign * std::numeric_limits<double>::infinity();
  if (exponent.high < -kLargestLogarithm) return sign * 0.0;
  return sign * exponential(exponent);
}

float power(float x, float y) {
  return static_cast<float>(power(double{x}, double{y}));
}

double natural_logarithm(double x) {
  return is_ordinary(x) ? logarithm(x).high : std::log(x);
}

float natural_logarithm(float x) {
  return static_cast<float>(natural_logarithm(double{x}));
}

double approximate_exponential(double x) {
  constexpr double kLargest = 700;
  constexpr int kTerms = 12;
  if (std::isnan(x)) return x;
  const double exponent = std::clamp(x, -kLargest, kLargest);
  const double doublings = std::round(exponent / kLogarithmOf2.high);
  const double rest = exponent - doublings * kLogarithmOf2.high;
  double sum = 1;
  for (int i = kTerms; i > 0; --i) sum = 1 + rest / i * sum;
  return std::ldexp(sum, static_cast<int>(doublings));
}

// Abramowitz and Stegun, "Handbook of mathematical functions", 7.1.26.
double approximate_error_function(double x) {
  const double t = 1 / (1 + 0.3275911 * std::abs(x));
  const double polynomial =
      ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return std::copysign(1 - polynomial * approximate_exponential(-x * x), x);
}

double decimal_logarithm(double x) {
  return is_ordinary(x) ? divide(logarithm(x), kLogarithmOf10).high : std::log10(x);
}

int nearest_binary_exponent(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  // No number is the root of 1/2, and this one is the next larger one.
  return fraction < kRootOfHalf ? exponent - 1 : exponent;
}

}  // namespace onnx2ir::base
