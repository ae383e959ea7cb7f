#include "passes/constant_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace onnx2ir::passes {

bool is_folded(ir::Value value) {
  constexpr std::size_t kMaxNodes = 64;
  std::vector<const ir::Node*> sources = {value.node};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ir::Node& node = *sources[i];
    if (node.is(ops::Const)) continue;
    if (node.inputs().empty() || node.has_payload() || node.op().traits.is_volatile) return false;
    for (const ir::Value input : node.inputs()) {
      if (std::ranges::find(sources, input.node) != sources.end()) continue;
      if (sources.size() == kMaxNodes) return false;
      sources.push_back(input.node);
    }
  }
  return true;
}

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
  if (is_folded(node.input(1))) return {node.input(0), node.input(1)};
  if (!node.is(ops::Divide) && is_folded(node.input(0))) return {node.input(1), node.input(0)};
  return {};
}

}  // namespace onnx2ir::passes
