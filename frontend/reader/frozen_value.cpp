#include "frontend/reader/frozen_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/half_precision.hpp"
#include "base/number_text.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_types.hpp"

namespace onnx2ir::frontend {
namespace {

/// A constant with more elements is a mistake.
constexpr std::int64_t kMaxElements = 1 << 24;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

struct ListText {
  std::vector<std::string_view> elements;
  bool is_list = false;
};

/// "[1, 2 3]" has three elements; a text without brackets is one element.
ListText split_elements(std::string_view text) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {{text}, false};
  ListText list{{}, true};
  text = text.substr(1, text.size() - 2);
  for (std::size_t at = 0; at < text.size();) {
    const auto start = text.find_first_not_of(", \t", at);
    if (start == std::string_view::npos) break;
    at = std::min(text.find_first_of(", \t", start), text.size());
    list.elements.push_back(text.substr(start, at - start));
  }
  return list;
}

Problem unfit(std::string message) {
  return {DiagnosticCode::bad_interface, std::move(message)};
}

/// `shape` with its dynamic dimension replaced by the size that fits the number of elements.
Result<std::vector<std::int64_t>> static_shape(const ListText& list, const ir::PartialShape& shape) {
  const auto count = static_cast<std::int64_t>(list.elements.size());
  if (!shape.has_rank()) {
    return list.is_list ? std::vector<std::int64_t>{count} : std::vector<std::int64_t>{};
  }
  std::vector<std::int64_t> sizes;
  std::int64_t known = 1;
  std::vector<std::size_t> open;
  for (const ir::Dimension& dimension : shape) {
    sizes.push_back(dimension.size());
    if (dimension.is_dynamic()) {
      open.push_back(sizes.size() - 1);
    } else if (dimension.size() != 0 && known > kMaxElements / dimension.size()) {
      return unfit("its shape has too many elements");
    } else {
      known *= dimension.size();
    }
  }
  if (!list.is_list) {
    for (const std::size_t axis : open) sizes[axis] = 1;
    return sizes;
  }
  if (open.size() > 1) {
    return unfit(
        fmt::format("its shape {} has several dynamic dimensions; give its shape, for example x[2,3]->...",
                    to_string(shape)));
  }
  if (open.size() == 1 && known == 0) {
    sizes[open[0]] = 0;  // no size gives elements
  } else if (open.size() == 1 && count % known == 0) {
    sizes[open[0]] = count / known;
    known = count;
  }
  if (known != count) {
    return unfit(fmt::format("the shape {} does not have {} elements", to_string(shape), count));
  }
  return sizes;
}

std::optional<bool> read_boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0") return false;
  return std::nullopt;
}

/// Parses integers; true and false are 1 and 0 in signed types.
template <typename Integer>
std::optional<Integer> read_integer(std::string_view text, ir::ElementType type) {
  const auto truth = read_boolean(text);
  if (truth && std::is_signed_v<Integer>) return *truth ? 1 : 0;
  const auto number = base::parse_number<Integer>(text);
  const auto [low, high] = ir::limits_of(type);
  const bool fits = number && static_cast<double>(*number) >= low && static_cast<double>(*number) <= high;
  return fits ? number : std::nullopt;
}

std::int32_t half_bits(double number) {
  std::uint16_t bits = 0;
  base::to_half_precision(std::span<const double>(&number, 1), std::span(&bits, 1));
  return bits;
}

/// Appends one element; false if `text` is not an element of the type.
bool add_element(std::string_view text, const TensorTypeInfo& row, onnx::TensorProto& tensor) {
  const auto add = [](const auto& element, auto store) {
    if (element) store(*element);
    return element.has_value();
  };
  const auto store_int32 = [&](auto value) { tensor.add_int32_data(static_cast<std::int32_t>(value)); };
  const ir::ElementType type = *row.ir_type;
  switch (row.field) {
    case TypedField::float_data:
      return add(base::parse_number<double>(text),
                 [&](double number) { tensor.add_float_data(static_cast<float>(number)); });
    case TypedField::double_data:
      return add(base::parse_number<double>(text), [&](double number) { tensor.add_double_data(number); });
    case TypedField::int64_data:
      return add(read_integer<std::int64_t>(text, type), [&](auto value) { tensor.add_int64_data(value); });
    case TypedField::uint64_data:
      return add(read_integer<std::uint64_t>(text, type), [&](auto value) { tensor.add_uint64_data(value); });
    case TypedField::string_data:
      tensor.add_string_data(std::string(text));
      return true;
    case TypedField::int32_data:
      break;
  }
  if (type == ir::ElementType::boolean) return add(read_boolean(text), store_int32);
  if (type == ir::ElementType::f16)
    return add(base::parse_number<double>(text), [&](double number) { store_int32(half_bits(number)); });
  if (!ir::is_integral(type) || row.bits < 8) return false;
  return ir::is_signed_integral(type) ? add(read_integer<std::int64_t>(text, type), store_int32)
                                      : add(read_integer<std::uint64_t>(text, type), store_int32);
}

}  // namespace

Result<onnx::TensorProto> read_frozen_value(std::string_view text, std::int32_t element_type,
                                            const ir::PartialShape& shape) {
  const TensorTypeInfo* const row = find_tensor_type(element_type);
  if (row == nullptr || !row->ir_type) {
    return unfit(fmt::format("values of type {} cannot be given", tensor_type_name(element_type)));
  }
  const ListText list = split_elements(text);
  const auto sizes = static_shape(list, shape);
  if (!sizes) return sizes.error();
  onnx::TensorProto tensor;
  std::int64_t count = 1;
  for (const std::int64_t size : *sizes) {
    tensor.add_dims(size);
    count *= size;
  }
  tensor.set_data_type(element_type);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string_view element = list.elements[list.is_list ? static_cast<std::size_t>(i) : 0];
    if (!add_element(element, *row, tensor))
      return unfit(fmt::format("'{}' is not a value of type {}", element, row->name));
  }
  return tensor;
}

}  // namespace onnx2ir::frontend
