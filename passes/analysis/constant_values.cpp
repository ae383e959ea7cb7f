#include "passes/analysis/constant_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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

}  // namespace

std::optional<Magnitudes> magnitudes(ir::Value value, std::uint64_t most_bytes) {
  const ir::ConstantData* const data = value.node->constant();
  if (data == nullptr || data->size() > most_bytes) return std::nullopt;
  Magnitudes range{0, 0};
  if (value.type() == ir::ElementType::f32) {
    // Without the list below: every sum of a model is examined, several times.
    const ir::ConstantBytes kept = data->bytes();
    const std::span<const std::byte> bytes = kept.span();
    for (std::size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
      float number = 0;
      std::memcpy(&number, bytes.data() + i, sizeof(float));
      widen(range, static_cast<double>(number));
    }
    return range;
  }
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
