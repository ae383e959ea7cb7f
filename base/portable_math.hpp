// Powers and logarithms with the same bits on every system. Those of the C libraries differ in the last bit:
// that of glibc for processors with and without FMA, and those of musl, Windows and macOS.
#pragma once

namespace onnx2ir::base {

/// x to the power of y, with the special cases of std::pow. It is rounded correctly, except that a result
/// within 2^-85 of the middle of two numbers, relative to the result, may become the other one. Results below
/// the normal range are rounded twice.
double power(double x, double y);
float power(float x, float y);

/// The natural logarithm, rounded as `power`, with the special cases of std::log.
double natural_logarithm(double x);
float natural_logarithm(float x);

/// e to the power of x, with a relative error of at most 1e-12. For x below -700 or above 700, the result is
/// that for -700 or 700.
double approximate_exponential(double x);

/// The error function, with an error of at most 2e-7.
double approximate_error_function(double x);

/// The logarithm to base 10, rounded as `power`, with the special cases of std::log10.
double decimal_logarithm(double x);

/// The logarithm to base 2 of a positive, finite number, rounded to the nearest integer.
int nearest_binary_exponent(double x);

}  // namespace onnx2ir::base
