#include "ir/element_sizes.hpp"

#include "ir/known_values.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/selection.hpp"

namespace onnx2ir::ir {

bool is_tracked(ElementType type) {
  return type == ElementType::i64 || type == ElementType::i32 || type == ElementType::boolean;
}

std::optional<std::size_t> tracked_count(const Output& output) {
  if (!is_tracked(output.type)) return std::nullopt;
  const auto count = output.shape.element_count();
  if (!count || *count > kMaxElementSizes) return std::nullopt;
  return static_cast<std::size_t>(*count);
}

std::optional<Sizes> elements_of(Value value) {
  const Output& output = value.output();
  const auto count = tracked_count(output);
  if (!count) return std::nullopt;
  SizeTable& table = value.node->graph().sizes();
  Sizes result(*count);
  if (value.node->constant() != nullptr) {
    // Most constants are one number.
    if (*count == 1) {
      if (const auto number = known_scalar(value)) result.front() = table.constant(*number);
      return result;
    }
    const auto exact = exact_values(value);
    for (std::size_t i = 0; exact && i < *count; ++i) result[i] = table.constant((*exact)[i]);
    return result;
  }
  for (std::size_t i = 0; i < *count; ++i) {
    if (output.known != nullptr && i < output.known->size() && (*output.known)[i].is_exact()) {
      result[i] = table.constant((*output.known)[i].min);
    } else if (output.elements != nullptr && i < output.elements->size()) {
      result[i] = (*output.elements)[i].size;
    }
  }
  return result;
}

std::optional<Integers> exact_sizes(Value value) {
  if (value.node->constant() != nullptr) return exact_values(value);
  const auto elements = elements_of(value);
  if (!elements) return std::nullopt;
  Integers result;
  for (const Size element : *elements) {
    const auto number = ir::constant(element);
    if (!number) return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

std::optional<std::size_t> position_in(std::int64_t position, std::size_t size) {
  if (position < 0) position += static_cast<std::int64_t>(size);
  if (position < 0 || static_cast<std::size_t>(position) >= size) return std::nullopt;
  return static_cast<std::size_t>(position);
}

bool is_vector(Value value) {
  return value.shape().has_rank(1);
}

std::optional<std::vector<std::size_t>> updated_positions(AnyScatterView scatter, std::size_t size) {
  const auto elements_update = match<ScatterElementsUpdateView>(scatter.node());
  const bool is_assignment = !elements_update || elements_update->reduction() == "none";
  const auto indices =
      is_assignment && is_vector(scatter.data()) ? exact_values(scatter.indices()) : std::nullopt;
  if (!indices) return std::nullopt;
  std::vector<std::size_t> positions;
  for (const std::int64_t index : *indices) {
    const auto position = position_in(index, size);
    if (!position) return std::nullopt;
    positions.push_back(*position);
  }
  return positions;
}

}  // namespace onnx2ir::ir
