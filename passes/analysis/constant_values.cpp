#include "passes/analysis/constant_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "ir/builder.hpp"

namespace onnx2ir::passes {

namespace {

void widen(Magnitudes& range, double number) {
  if (!std::isfinite(number) || number == 0) return;
  const double size = std::abs(number);
  range.smallest = range.largest == 0 ? size : std::min(range.smallest, size);
  range.largest = std::max(range.largest, size);
}

/// Compares the bits, which have the order of the magnitudes. Without branches, so that compilers use
/// vectors.
Magnitudes magnitudes_of_floats(std::span<const std::byte> bytes) {
  constexpr std::int32_t kMagnitude = 0x7fffffff;
  constexpr std::int32_t kInfinity = 0x7f800000;
  std::int32_t smallest = kInfinity;
  std::int32_t largest = 0;
  for (std::size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
    std::int32_t bits = 0;
    std::memcpy(&bits, bytes.data() + i, sizeof bits);
    bits &= kMagnitude;
    const bool counts = bits > 0 && bits < kInfinity;
    smallest = std::min(smallest, counts ? bits : kInfinity);
    largest = std::max(largest, counts ? bits : 0);
  }
  if (largest == 0) return {0, 0};
  return {std::bit_cast<float>(smallest), std::bit_cast<float>(largest)};
}

}  // namespace

std::optional<Magnitudes> magnitudes(ir::Value value, std::uint64_t most_bytes) {
  const ir::ConstantData* const data = value.node->constant();
  if (data == nullptr || data->size() > most_bytes) return std::nullopt;
  Magnitudes range{0, 0};
  // Without a list of doubles: every sum of a model is examined, several times.
  if (value.type() == ir::ElementType::f32) return magnitudes_of_floats(data->bytes());
  const auto numbers = ir::decode_numbers(value.type(), data->bytes(),
                                          static_cast<std::size_t>(*value.shape().element_count()));
  if (!numbers) return std::nullopt;
  for (const double number : *numbers) widen(range, number);
  return range;
}

ConstantStep constant_step(const ir::Node& node) {
  if (!node.is_one_of({ops::Add, ops::Subtract, ops::Multiply, ops::Divide})) return {};
  if (ir::is_computed_from_constants(node.input(1))) return {node.input(0), node.input(1)};
  if (!node.is(ops::Divide) && ir::is_computed_from_constants(node.input(0)))
    return {node.input(1), node.input(0)};
  return {};
}

}  // namespace onnx2ir::passes
