#include "ir/element_sizes.hpp"

#include "ir/known_values.hpp"
#include "ir/size_rules.hpp"

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

}  // namespace onnx2ir::ir
