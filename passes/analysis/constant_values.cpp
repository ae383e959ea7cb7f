#include "passes/analysis/constant_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace onnx2ir::passes {

std::optional<Magnitudes> magnitudes(ir::Value value, std::uint64_t most_bytes) {
  const ir::ConstantData* const data = value.node->constant();
  if (data == nullptr || data->size() > most_bytes) return std::nullopt;
  const auto numbers = ir::decode_numbers(value.type(), data->bytes(),
                                          static_cast<std::size_t>(*value.shape().element_count()));
  if (!numbers) return std::nullopt;
  Magnitudes range{0, 0};
  for (const double number : *numbers) {
    if (!std::isfinite(number) || number == 0) continue;
    const double size = std::abs(number);
    range.smallest = range.largest == 0 ? size : std::min(range.smallest, size);
    range.largest = std::max(range.largest, size);
  }
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
