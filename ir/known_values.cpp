#include "ir/known_values.hpp"

#include <algorithm>

#include "ir/builder.hpp"
#include "ir/graph.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"

namespace onnx2ir::ir {
namespace {

bool has_integer_values(ElementType type) {
  return type == ElementType::boolean || is_integral(type);
}

/// Whether `value`, an element of `type` from decode_integers(), represents a number >= 2^63.
bool is_beyond_int64(ElementType type, std::int64_t value) {
  return type == ElementType::u64 && value < 0;
}

}  // namespace

std::optional<KnownValues> known_values(Value value) {
  const Output& output = value.output();
  if (output.known) return *output.known;
  const bool is_integral = has_integer_values(output.type);
  const ConstantData* const data = value.node->constant();
  if (data == nullptr || !(is_integral || is_floating(output.type))) return std::nullopt;
  const auto count = output.shape.element_count();
  if (!count || *count > kMaxKnownElements) return std::nullopt;
  KnownValues known(static_cast<std::size_t>(*count));
  if (is_integral) {
    const auto values = decode_integers(output.type, data->bytes(), known.size());
    if (!values) return std::nullopt;
    std::ranges::transform(*values, known.begin(), [&](std::int64_t element) {
      return is_beyond_int64(output.type, element) ? ValueRange{} : ValueRange::exactly(element);
    });
  } else {
    const auto values = decode_numbers(output.type, data->bytes(), known.size());
    if (!values) return std::nullopt;
    std::ranges::transform(*values, known.begin(), ValueRange::of_number);
  }
  return known;
}

std::optional<Integers> exact_values(Value value) {
  const Output& output = value.output();
  if (!has_integer_values(output.type)) return std::nullopt;
  if (const ConstantData* data = value.node->constant()) {
    const auto count = output.shape.element_count();
    if (!count) return std::nullopt;
    auto values = decode_integers(output.type, data->bytes(), static_cast<std::size_t>(*count));
    if (!values) return std::nullopt;
    const auto is_too_large = [&](std::int64_t element) { return is_beyond_int64(output.type, element); };
    if (output.type == ElementType::u64 && std::ranges::any_of(*values, is_too_large)) return std::nullopt;
    return Integers(*std::move(values));
  }
  if (!output.known || !are_exact(*output.known)) return std::nullopt;
  Integers values;
  values.reserve(output.known->size());
  for (const ValueRange& range : *output.known) values.push_back(range.min);
  return values;
}

std::optional<Numbers> exact_numbers(Value value) {
  const Output& output = value.output();
  if (output.known) {
    if (!are_exact(*output.known)) return std::nullopt;
    Numbers numbers;
    for (const ValueRange& range : *output.known)
      numbers.push_back(is_floating(output.type) ? range.number() : static_cast<double>(range.min));
    return numbers;
  }
  const ConstantData* const data = value.node->constant();
  const auto count = output.shape.element_count();
  if (data == nullptr || !count) return std::nullopt;
  return decode_numbers(output.type, data->bytes(), static_cast<std::size_t>(*count));
}

std::optional<std::int64_t> known_scalar(Value value) {
  const Output& output = value.output();
  if (!has_integer_values(output.type)) return std::nullopt;
  if (const ConstantData* data = value.node->constant()) {
    if (output.shape.element_count() != 1) return std::nullopt;
    const auto element = decode_integer(output.type, data->bytes_in_memory());
    return element && !is_beyond_int64(output.type, *element) ? element : std::nullopt;
  }
  if (!output.known || output.known->size() != 1 || !output.known->front().is_exact()) return std::nullopt;
  return output.known->front().min;
}

std::optional<double> exact_number(Value value) {
  const Output& output = value.output();
  const ConstantData* const data = value.node->constant();
  if (data == nullptr || !is_floating(output.type) || output.shape.element_count() != 1) return std::nullopt;
  return decode_number(output.type, data->bytes_in_memory());
}

std::optional<double> exact_number(Value list, std::size_t index) {
  while (const auto concat = match<ConcatView>(list)) {
    for (const Value& part : concat->parts()) {
      const auto count = part.shape().element_count();
      if (!count) return std::nullopt;
      list = part;
      if (index < static_cast<std::size_t>(*count)) break;
      index -= static_cast<std::size_t>(*count);
    }
  }
  const auto numbers = exact_numbers(list);
  return numbers && index < numbers->size() ? std::optional((*numbers)[index]) : std::nullopt;
}

std::optional<Integers> exact_order(const Node& node) {
  const TransposeView transpose = node;
  auto order = exact_values(transpose.order());
  if (!order || !order->empty()) return order;
  const PartialShape& data = transpose.data().shape();
  if (!data.has_rank()) return std::nullopt;
  for (std::size_t axis = data.rank(); axis-- > 0;) order->push_back(static_cast<std::int64_t>(axis));
  return order;
}

}  // namespace onnx2ir::ir
