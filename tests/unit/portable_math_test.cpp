// Powers and logarithms: cases in which C libraries give different results. The expected ones were computed
// with 60 digits.
#include "base/portable_math.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace onnx2ir::ir;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename Number>
struct Power {
  Number base;
  Number exponent;
  Number result;
};

template <typename Number>
struct Logarithm {
  Number number;
  Number result;
};

}  // namespace

TEST_CASE("powers are rounded correctly", "[portable_math]") {
  constexpr Power<double> kPowers[] = {
      {0x1.53b1710d1006cp+3, -0x1.459f7845f9852p+1, 0x1.41cf57cc59b65p-9},
      {0x1.fac03b66faf31p+2, 0x1.be9a8115643d4p+0, 0x1.27a3e7b94b072p+5},
      {0x1.35bc37f526552p-2, 0x1.41b33d63cc18p-2, 0x1.5fa915c30ceb9p-1},
      {0x1.34418ec1b8314p+4, -0x1.3b82c55c54cb3p+2, 0x1.f1cea08ffb251p-22},
      {0x1.f2a08c77a2574p+3, 0x1.6f1f93be887a8p+0, 0x1.9a96661e79697p+5},
  };
  for (const auto& [base, exponent, result] : kPowers) CHECK(onnx2ir::base::power(base, exponent) == result);
  constexpr Power<float> kPowersOfFloats[] = {
      {0x1.42b6a2p+0F, -0x1.107464p-1F, 0x1.c4a2dp-1F},   {0x1.69735cp+1F, 0x1.2575dcp+2F, 0x1.d2fb7ap+6F},
      {0x1.37928cp+4F, 0x1.dfbed4p+1F, 0x1.09d298p+16F},  {0x1.377202p+4F, -0x1.7ed9c8p-1F, 0x1.bcf24p-4F},
      {0x1.9a5f0cp+3F, -0x1.4f37e4p+1F, 0x1.48a6ccp-10F},
  };
  for (const auto& [base, exponent, result] : kPowersOfFloats)
    CHECK(onnx2ir::base::power(base, exponent) == result);
}

TEST_CASE("logarithms are rounded correctly", "[portable_math]") {
  constexpr Logarithm<double> kLogarithms[] = {
      {0x1.31b6578072e19p+1, 0x1.bdc121f65414ep-1}, {0x1.2b9716c22917p+4, 0x1.7704906ffe3bap+1},
      {0x1.03b367bc4a5e7p+4, 0x1.64ba7f9f0b212p+1}, {0x1.de15c2cd549d7p+3, 0x1.5a1e65a859f8bp+1},
      {0x1.31ed4e608007dp+3, 0x1.20f961c962d7ap+1},
  };
  for (const auto& [number, result] : kLogarithms) CHECK(onnx2ir::base::natural_logarithm(number) == result);
  constexpr Logarithm<float> kLogarithmsOfFloats[] = {
      {0x1.3658d4p+0F, 0x1.8a448ap-3F}, {0x1.1a5c32p+3F, 0x1.16b69ap+1F}, {0x1.88111cp+3F, 0x1.40baaap+1F},
      {0x1.18dadcp+3F, 0x1.160774p+1F}, {0x1.99ed5p+2F, 0x1.db6aa6p+0F},
  };
  for (const auto& [number, result] : kLogarithmsOfFloats)
    CHECK(onnx2ir::base::natural_logarithm(number) == result);
  constexpr Logarithm<double> kDecimalLogarithms[] = {
      {0x1.dacf19c1aca82p+9, 0x1.7d2052bda166bp+1},  {0x1.0972bd040398p+10, 0x1.8355456d8aaf9p+1},
      {0x1.c2b0b0258fa74p+9, 0x1.7a3a6db70cd39p+1},  {0x1.fd21c576b60cp+7, 0x1.33f143e465d69p+1},
      {0x1.b5a0d36579294p+10, 0x1.9f200a84493b7p+1},
  };
  for (const auto& [number, result] : kDecimalLogarithms)
    CHECK(onnx2ir::base::decimal_logarithm(number) == result);
}

TEST_CASE("exact powers are exact, and special cases are those of the C library", "[portable_math]") {
  CHECK(onnx2ir::base::power(2.0, 10.0) == 1024);
  CHECK(onnx2ir::base::power(10.0, 15.0) == 1e15);
  CHECK(onnx2ir::base::power(-3.0, 3.0) == -27);
  CHECK(onnx2ir::base::power(0.25, 0.5) == 0.5);
  CHECK(onnx2ir::base::power(7.0, 1.0) == 7);
  CHECK(onnx2ir::base::power(2.0, -1074.0) == std::numeric_limits<double>::denorm_min());
  CHECK(onnx2ir::base::power(2.0, -1080.0) == 0);
  CHECK(onnx2ir::base::power(10.0, 309.0) == kInfinity);
  CHECK(onnx2ir::base::power(-10.0, 309.0) == -kInfinity);
  CHECK(std::signbit(onnx2ir::base::power(-10.0, -401.0)));
  CHECK(onnx2ir::base::power(-1.0, 1e300) == 1);
  CHECK(onnx2ir::base::power(0.5, 1e300) == 0);
  CHECK(onnx2ir::base::power(2.0F, 128.0F) == std::numeric_limits<float>::infinity());
  const double numbers[] = {0.0, -0.0, 1, -1, 2, -2, 0.5, -2.5, 3, kInfinity, -kInfinity, std::nan("")};
  for (const double x : numbers) {
    for (const double y : numbers) {
      const double expected = std::pow(x, y);
      const double found = onnx2ir::base::power(x, y);
      INFO(x << " to the power of " << y);
      if (std::isnan(expected)) {
        CHECK(std::isnan(found));
      } else {
        CHECK((std::fabs(found - expected) <= 3e-16 * std::fabs(expected) || found == expected));
        CHECK(std::signbit(found) == std::signbit(expected));
      }
    }
  }
  CHECK(onnx2ir::base::natural_logarithm(1.0) == 0);
  CHECK(onnx2ir::base::natural_logarithm(0.0) == -kInfinity);
  CHECK(std::isnan(onnx2ir::base::natural_logarithm(-1.0)));
  CHECK(onnx2ir::base::natural_logarithm(kInfinity) == kInfinity);
  for (int i = -300; i <= 300; ++i)
    CHECK(std::fabs(onnx2ir::base::decimal_logarithm(onnx2ir::base::power(10.0, static_cast<double>(i))) -
                    i) <= 1e-13);
  CHECK(onnx2ir::base::decimal_logarithm(1000.0) == 3);
}

TEST_CASE("the nearest binary exponent", "[portable_math]") {
  CHECK(onnx2ir::base::nearest_binary_exponent(1) == 0);
  CHECK(onnx2ir::base::nearest_binary_exponent(1.41421356237309492) == 0);
  CHECK(onnx2ir::base::nearest_binary_exponent(1.41421356237309515) == 1);
  CHECK(onnx2ir::base::nearest_binary_exponent(0.75) == 0);
  CHECK(onnx2ir::base::nearest_binary_exponent(0.7) == -1);
  CHECK(onnx2ir::base::nearest_binary_exponent(std::numeric_limits<double>::denorm_min()) == -1074);
}

TEST_CASE("approximate functions have the errors that they promise", "[portable_math]") {
  for (double x = -30; x <= 30; x += 0.01) {
    CHECK(std::abs(onnx2ir::base::approximate_exponential(x) / std::exp(x) - 1) <= 1e-12);
    CHECK(std::abs(onnx2ir::base::approximate_error_function(x) - std::erf(x)) <= 2e-7);
  }
  CHECK(std::abs(onnx2ir::base::approximate_exponential(699.5) / std::exp(699.5) - 1) <= 1e-12);
  CHECK(onnx2ir::base::approximate_exponential(kInfinity) == onnx2ir::base::approximate_exponential(700));
  CHECK(onnx2ir::base::approximate_exponential(-kInfinity) == onnx2ir::base::approximate_exponential(-700));
  CHECK(std::isnan(onnx2ir::base::approximate_exponential(std::numeric_limits<double>::quiet_NaN())));
}
