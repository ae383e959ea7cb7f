// Converts numbers to the bytes of constants and back.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "ir/builder.hpp"
#include "ir/element_bits.hpp"
#include "ir/inference.hpp"
#include "ir/small_floats.hpp"

namespace onnx2ir::ir {
namespace {

template <typename Element>
void store(std::span<std::byte> bytes, std::size_t index, Element element) {
  std::memcpy(bytes.data() + index * sizeof(Element), &element, sizeof(Element));
}

template <typename Element>
Element load(std::span<const std::byte> bytes, std::size_t index) {
  Element element;
  std::memcpy(&element, bytes.data() + index * sizeof(Element), sizeof(Element));
  return element;
}

/// Stores elements of 1, 2 or 4 bits, the first one in the lowest bits of a byte. (u1 is the exception:
/// highest bit first.)
void store_bits(std::span<std::byte> bytes, std::size_t index, unsigned bits, std::uint32_t value) {
  const std::size_t position = index * bits;
  const auto shift = static_cast<unsigned>(bits == 1 ? 7 - position % 8 : position % 8);
  bytes[position / 8] |= static_cast<std::byte>((value & ((1U << bits) - 1U)) << shift);
}

std::uint32_t load_bits(std::span<const std::byte> bytes, std::size_t index, unsigned bits) {
  const std::size_t position = index * bits;
  const auto shift = static_cast<unsigned>(bits == 1 ? 7 - position % 8 : position % 8);
  return (std::to_integer<std::uint32_t>(bytes[position / 8]) >> shift) & ((1U << bits) - 1U);
}

bool is_packed_integer(ElementType type) {
  return is_integral(type) && info(type).bits < 8 && 8 % info(type).bits == 0;
}

/// The least and greatest integer of `type`; false if it is not an integer type.
bool integer_limits(ElementType type, std::int64_t& least, std::int64_t& greatest) {
  if (type == ElementType::boolean) {
    least = 0;
    greatest = 1;
    return true;
  }
  if (!is_integral(type)) return false;
  const unsigned bits = info(type).bits;
  const bool is_signed = is_signed_integral(type);
  least = is_signed ? std::numeric_limits<std::int64_t>::min() >> (64 - bits) : 0;
  greatest = bits == 64 ? std::numeric_limits<std::int64_t>::max()
                        : static_cast<std::int64_t>((std::uint64_t{1} << (is_signed ? bits - 1 : bits)) - 1);
  return true;
}

void store_integer(std::span<std::byte> bytes, std::size_t index, std::int64_t value, ElementType type) {
  switch (type) {
    case ElementType::boolean:
    case ElementType::i8:
    case ElementType::u8:
      return store(bytes, index, static_cast<std::int8_t>(value));
    case ElementType::i16:
    case ElementType::u16:
      return store(bytes, index, static_cast<std::int16_t>(value));
    case ElementType::i32:
    case ElementType::u32:
      return store(bytes, index, static_cast<std::int32_t>(value));
    case ElementType::i64:
    case ElementType::u64:
      return store(bytes, index, value);
    default:
      break;
  }
  if (!is_packed_integer(type)) invalid("cannot encode constants of type " + std::string(info(type).name));
  store_bits(bytes, index, info(type).bits, static_cast<std::uint32_t>(value));
}

/// Zeroed memory for the elements of a constant.
struct Storage {
  std::shared_ptr<std::byte[]> small;  ///< one allocation, for the many constants of a few elements
  std::vector<std::byte> large;        ///< counted in the memory budget
  std::span<std::byte> bytes;

  ConstantData take() {
    return small == nullptr ? ConstantData(std::move(large)) : ConstantData(std::move(small), bytes);
  }
};

Storage storage(ElementType type, std::size_t count) {
  const auto size = packed_size(type, count);
  if (!size) invalid("cannot encode constants of type " + std::string(info(type).name));
  constexpr std::uint64_t kSmall = 256;
  Storage result;
  if (*size <= kSmall) {
    result.small = std::make_shared<std::byte[]>(*size);
    result.bytes = {result.small.get(), *size};
  } else {
    result.large.resize(*size);
    result.bytes = result.large;
  }
  return result;
}

std::optional<std::int64_t> load_integer(std::span<const std::byte> bytes, std::size_t index,
                                         ElementType type) {
  switch (type) {
    case ElementType::boolean:
      return load<std::uint8_t>(bytes, index) != 0 ? 1 : 0;
    case ElementType::i8:
      return load<std::int8_t>(bytes, index);
    case ElementType::u8:
      return load<std::uint8_t>(bytes, index);
    case ElementType::i16:
      return load<std::int16_t>(bytes, index);
    case ElementType::u16:
      return load<std::uint16_t>(bytes, index);
    case ElementType::i32:
      return load<std::int32_t>(bytes, index);
    case ElementType::u32:
      return load<std::uint32_t>(bytes, index);
    case ElementType::i64:
    case ElementType::u64:
      return load<std::int64_t>(bytes, index);
    default:
      break;
  }
  if (!is_packed_integer(type)) return std::nullopt;
  const unsigned bits = info(type).bits;
  const auto raw = static_cast<std::int64_t>(load_bits(bytes, index, bits));
  const bool negative = is_signed_integral(type) && (raw >> (bits - 1)) != 0;
  return negative ? raw - (std::int64_t{1} << bits) : raw;
}

}  // namespace

bool has_element_bits(ElementType type) {
  const unsigned bits = info(type).bits;
  return bits != 0 && (bits < 8 ? 8 % bits == 0 : bits % 8 == 0);
}

std::uint64_t element_bits(ElementType type, std::span<const std::byte> bytes, std::size_t index) {
  const unsigned bits = info(type).bits;
  if (bits < 8) return load_bits(bytes, index, bits);
  std::uint64_t element = 0;
  std::memcpy(&element, bytes.data() + index * (bits / 8), bits / 8);
  return element;
}

void set_element_bits(ElementType type, std::span<std::byte> bytes, std::size_t index, std::uint64_t bits) {
  const unsigned size = info(type).bits;
  if (size < 8) return store_bits(bytes, index, size, static_cast<std::uint32_t>(bits));
  std::memcpy(bytes.data() + index * (size / 8), &bits, size / 8);
}

ConstantData encode_integers(std::span<const std::int64_t> values, ElementType type) {
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  if (!integer_limits(type, least, greatest)) {
    const std::vector<double> numbers(values.begin(), values.end());
    return encode_numbers(numbers, type);
  }
  Storage stored = storage(type, values.size());
  const std::span<std::byte> bytes = stored.bytes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < least || values[i] > greatest) {
      invalid(std::to_string(values[i]) + " is no " + std::string(info(type).name));
    }
    store_integer(bytes, i, values[i], type);
  }
  return stored.take();
}

ConstantData encode_numbers(std::span<const double> values, ElementType type) {
  Storage stored = storage(type, values.size());
  const std::span<std::byte> bytes = stored.bytes;
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  const bool integers = integer_limits(type, least, greatest);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (integers) {
      const double rounded = std::nearbyint(values[i]);
      // 2^63 is exact as a double, the greatest int64 is not.
      const std::int64_t value = std::isnan(rounded)                        ? 0
                                 : rounded <= static_cast<double>(least)    ? least
                                 : rounded >= static_cast<double>(greatest) ? greatest
                                                                            : std::int64_t(rounded);
      store_integer(bytes, i, value, type);
    } else if (type == ElementType::f32) {
      store(bytes, i, static_cast<float>(values[i]));
    } else if (type == ElementType::f64) {
      store(bytes, i, values[i]);
    } else if (is_small_float(type)) {
      const std::uint32_t code = encode_small_float(values[i], type);
      switch (info(type).bits) {
        case 16:
          store(bytes, i, static_cast<std::uint16_t>(code));
          break;
        case 8:
          store(bytes, i, static_cast<std::uint8_t>(code));
          break;
        default:
          store_bits(bytes, i, info(type).bits, code);
      }
    } else {
      invalid("cannot encode numbers of type " + std::string(info(type).name));
    }
  }
  return stored.take();
}

std::optional<std::int64_t> decode_integer(ElementType type, std::span<const std::byte> bytes) {
  if (type != ElementType::boolean && !is_integral(type)) return std::nullopt;
  return packed_size(type, 1) == bytes.size() ? load_integer(bytes, 0, type) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> decode_integers(ElementType type, std::span<const std::byte> bytes,
                                                         std::size_t count) {
  if (type != ElementType::boolean && !is_integral(type)) return std::nullopt;
  if (packed_size(type, count) != bytes.size()) return std::nullopt;
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = load_integer(bytes, i, type);
    if (!value) return std::nullopt;
    values[i] = *value;
  }
  return values;
}

std::optional<std::vector<double>> decode_numbers(ElementType type, std::span<const std::byte> bytes,
                                                  std::size_t count) {
  if (packed_size(type, count) != bytes.size()) return std::nullopt;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (type == ElementType::f32) {
      values[i] = load<float>(bytes, i);
    } else if (type == ElementType::f64) {
      values[i] = load<double>(bytes, i);
    } else if (type == ElementType::u64) {
      values[i] = static_cast<double>(load<std::uint64_t>(bytes, i));
    } else if (is_small_float(type)) {
      const unsigned bits = info(type).bits;
      const std::uint32_t code = bits == 16  ? load<std::uint16_t>(bytes, i)
                                 : bits == 8 ? load<std::uint8_t>(bytes, i)
                                             : load_bits(bytes, i, bits);
      values[i] = decode_small_float(code, type);
    } else if (const auto integer = load_integer(bytes, i, type)) {
      values[i] = static_cast<double>(*integer);
    } else {
      return std::nullopt;
    }
  }
  return values;
}

}  // namespace onnx2ir::ir
