// Half precision: every result against the conversion of single numbers, which is exact by construction.
#include "base/half_precision.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "ir/small_floats.hpp"

namespace {

using onnx2ir::ir::ElementType;

std::vector<float> samples() {
  std::vector<float> numbers;
  for (std::uint32_t half = 0; half < 0x8000; ++half) {
    const auto number = static_cast<float>(onnx2ir::ir::decode_small_float(half, ElementType::f16));
    if (std::isnan(number)) continue;
    // The number itself, its neighbours, and numbers around the midpoint of two.
    const auto bits = std::bit_cast<std::uint32_t>(number);
    for (const std::uint32_t offset : {0x0U, 0x1U, 0xfffU, 0x1000U, 0x1001U, 0x1fffU}) {
      const auto near = std::bit_cast<float>(bits + offset);
      if (std::isfinite(near)) numbers.insert(numbers.end(), {near, -near});
    }
  }
  for (std::uint32_t bits = 0; bits < 0x7f800000; bits += 0x12345)
    numbers.push_back(std::bit_cast<float>(bits));
  return numbers;
}

std::uint16_t expected(double number) {
  if (std::isfinite(number) && std::fabs(number) > 65504) return number < 0 ? 0xfbff : 0x7bff;
  return static_cast<std::uint16_t>(onnx2ir::ir::encode_small_float(number, ElementType::f16));
}

}  // namespace

TEST_CASE("single precision is rounded to the nearest half precision number, ties to even", "[half]") {
  const std::vector<float> numbers = samples();
  std::vector<std::uint16_t> together(numbers.size());
  onnx2ir::base::to_half_precision(numbers, together);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint16_t alone = 0;  // fewer than a vector of them take another way
    onnx2ir::base::to_half_precision({&numbers[i], 1}, {&alone, 1});
    wrong += together[i] != expected(numbers[i]) || alone != together[i] ? 1 : 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("double precision is rounded once", "[half]") {
  std::vector<double> numbers;
  for (const float number : samples()) {
    for (const double factor : {1.0, 1 + 0x1p-40, 1 - 0x1p-40}) numbers.push_back(number * factor);
  }
  numbers.insert(numbers.end(), {1e300, -1e300, 1e-300, 0x1p-25, std::nextafter(0x1p-25, 1.0)});
  std::vector<std::uint16_t> halves(numbers.size());
  onnx2ir::base::to_half_precision(numbers, halves);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) wrong += halves[i] != expected(numbers[i]) ? 1 : 0;
  CHECK(wrong == 0);
}

TEST_CASE("half precision keeps infinities and NaN", "[half]") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const std::size_t count : {1U, 8U, 11U}) {
    const std::vector<float> infinite(count, -kInfinity);
    const std::vector<float> none(count, std::numeric_limits<float>::quiet_NaN());
    std::vector<std::uint16_t> halves(count);
    onnx2ir::base::to_half_precision(infinite, halves);
    for (const std::uint16_t half : halves) CHECK(half == 0xfc00);
    onnx2ir::base::to_half_precision(none, halves);
    for (const std::uint16_t half : halves) CHECK((half & 0x7c00U) == 0x7c00);
    for (const std::uint16_t half : halves) CHECK((half & 0x3ffU) != 0);
  }
}

TEST_CASE("numbers that do not fit into half precision are counted, in vectors and one by one", "[half]") {
  const std::vector<float> numbers = samples();
  const auto whole = onnx2ir::base::half_precision_fit(numbers, 1e-3);
  onnx2ir::base::HalfPrecisionFit sum;
  for (const float& number : numbers) sum += onnx2ir::base::half_precision_fit(std::span(&number, 1), 1e-3);
  CHECK(whole.rejected == sum.rejected);
  CHECK(whole.too_large == sum.too_large);
  CHECK(whole.has_large_error == sum.has_large_error);
  CHECK(whole.too_large > 0);
  CHECK(whole.has_large_error);
}

TEST_CASE("the largest finite number of each floating-point type", "[half]") {
  using onnx2ir::ir::largest_finite;
  CHECK(largest_finite(ElementType::f64) == std::numeric_limits<double>::max());
  CHECK(largest_finite(ElementType::f32) == std::numeric_limits<float>::max());
  CHECK(largest_finite(ElementType::f16) == 65504);
  CHECK(largest_finite(ElementType::bf16) == 0x1.fep127);
  CHECK(largest_finite(ElementType::f8e4m3) == 448);
  CHECK(largest_finite(ElementType::f8e5m2) == 57344);
  CHECK(largest_finite(ElementType::f4e2m1) == 6);
  CHECK(largest_finite(ElementType::f8e8m0) == 0x1p127);
  CHECK_FALSE(largest_finite(ElementType::i32).has_value());
  CHECK_FALSE(largest_finite(ElementType::nf4).has_value());
}
