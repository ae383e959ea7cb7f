// Magnitudes of constants.
#include "passes/analysis/constant_values.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "ir/builder.hpp"

namespace {

using onnx2ir::ir::ElementType;

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

template <typename Number>
onnx2ir::passes::Magnitudes magnitudes_of(ElementType type, const std::vector<Number>& numbers) {
  onnx2ir::ir::Model model;
  onnx2ir::ir::Builder builder(model.graph);
  std::vector<std::byte> bytes(numbers.size() * sizeof(Number));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  const std::int64_t shape[] = {static_cast<std::int64_t>(numbers.size())};
  const auto constant = builder.constant(type, shape, onnx2ir::ir::ConstantData(std::move(bytes)));
  const auto found = onnx2ir::passes::magnitudes(constant, kAny);
  REQUIRE(found);
  return *found;
}

template <typename Number>
void check_odd_numbers(ElementType type) {
  constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
  constexpr Number kSmallest = std::numeric_limits<Number>::denorm_min();
  constexpr Number kNan = std::numeric_limits<Number>::quiet_NaN();
  const auto odd =
      magnitudes_of<Number>(type, {0, Number(-0.0), kInfinity, -kInfinity, kNan, -kNan, -kSmallest, -3, 2});
  CHECK(odd.smallest == static_cast<double>(kSmallest));
  CHECK(odd.largest == 3);
  const auto none = magnitudes_of<Number>(type, {0, Number(-0.0), kNan, kInfinity});
  CHECK(none.smallest == 0);
  CHECK(none.largest == 0);
  const auto largest = magnitudes_of<Number>(type, {std::numeric_limits<Number>::lowest()});
  CHECK(largest.smallest == static_cast<double>(std::numeric_limits<Number>::max()));
  CHECK(largest.largest == largest.smallest);
}

}  // namespace

TEST_CASE("magnitudes are those of the finite numbers other than 0", "[passes]") {
  check_odd_numbers<float>(ElementType::f32);
  check_odd_numbers<double>(ElementType::f64);
}
