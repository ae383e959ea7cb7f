// Converts numbers to the bytes of constants and back.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "ir/builder.hpp"
#include "ir/element_bits.hpp"
#include "ir/inference.hpp"
#include "ir/small_floats.hpp"
#include "ir/value_ranges.hpp"

namespace onnx2ir::ir {
namespace {

/// The place of an element of less than a byte: the first one is in the lowest bits. (u1 is the exception:
/// highest bit first.)
unsigned shift_in_byte(std::size_t index, unsigned bits) {
  const std::size_t position = index * bits % 8;
  return static_cast<unsigned>(bits == 1 ? 7 - position : position);
}

/// Copies an element of 8, 16, 32 or 64 bits. A copy of dynamic size would be a call of a function.
void copy_element(void* to, const void* from, unsigned bits) {
  if (bits == 8) std::memcpy(to, from, 1);
  if (bits == 16) std::memcpy(to, from, 2);
  if (bits == 32) std::memcpy(to, from, 4);
  if (bits == 64) std::memcpy(to, from, 8);
}

/// The element of `bits` bits at `index`, in the lowest bits of the result.
std::uint64_t load(std::span<const std::byte> bytes, std::size_t index, unsigned bits) {
  const std::byte* const place = bytes.data() + index * bits / 8;
  std::uint64_t element = 0;
  if (bits >= 8) {
    copy_element(&element, place, bits);
    return element;
  }
  return std::to_integer<std::uint64_t>(*place) >> shift_in_byte(index, bits) & ((1U << bits) - 1U);
}

/// Stores the lowest bits of `element`; those at its place must be zero.
void store(std::span<std::byte> bytes, std::size_t index, unsigned bits, std::uint64_t element) {
  std::byte* const place = bytes.data() + index * bits / 8;
  if (bits >= 8) return copy_element(place, &element, bits);
  *place |= static_cast<std::byte>((element & ((1U << bits) - 1U)) << shift_in_byte(index, bits));
}

/// Zeroed memory for the elements of a constant.
struct ElementBuffer {
  std::shared_ptr<std::byte[]> small;  ///< one allocation, for the many constants of a few elements
  std::vector<std::byte> large;        ///< counted in the memory budget
  std::span<std::byte> bytes;

  ConstantData take() {
    return small == nullptr ? ConstantData(std::move(large)) : ConstantData(std::move(small), bytes);
  }
};

ElementBuffer storage(ElementType type, std::size_t count) {
  const auto size = packed_size(type, count);
  if (!size || (count != 0 && !has_element_bits(type)))
    invalid("cannot encode constants of type " + std::string(info(type).name));
  constexpr std::uint64_t kSmall = 256;
  ElementBuffer result;
  if (*size <= kSmall) {
    result.small = std::make_shared<std::byte[]>(*size);
    result.bytes = {result.small.get(), *size};
  } else {
    result.large.resize(*size);
    result.bytes = result.large;
  }
  return result;
}

/// What decoding asks of a type, looked up once for all elements.
struct Encoding {
  explicit Encoding(ElementType its_type)
      : type(its_type),
        bits(info(type).bits),
        has_integers(type == ElementType::boolean || is_integral(type)),
        is_signed(is_signed_integral(type)) {}

  ElementType type;
  unsigned bits;
  bool has_integers;
  bool is_signed;
};

/// The integer or boolean with these bits. Numbers of u64 beyond int64 become negative.
std::int64_t integer_of(std::uint64_t bits, const Encoding& encoding) {
  if (encoding.type == ElementType::boolean) return bits != 0 ? 1 : 0;
  const unsigned unused = encoding.is_signed ? 64 - encoding.bits : 0;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

/// The number with these bits; no value if the type is not numeric.
std::optional<double> number_of(std::uint64_t bits, const Encoding& encoding) {
  if (encoding.type == ElementType::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (encoding.type == ElementType::f64) return std::bit_cast<double>(bits);
  if (encoding.type == ElementType::u64) return static_cast<double>(bits);
  if (encoding.has_integers) return static_cast<double>(integer_of(bits, encoding));
  if (!is_small_float(encoding.type)) return std::nullopt;
  return decode_small_float(static_cast<std::uint32_t>(bits), encoding.type);
}

/// The bits of the integer that is nearest to `number`; 0 for NaN.
std::uint64_t integer_bits_of(double number, ElementType type, const ValueRange& limits) {
  const double rounded = std::nearbyint(number);
  if (std::isnan(rounded)) return 0;
  // The upper half of u64 is beyond int64, and so beyond `limits`.
  if (type == ElementType::u64 && rounded >= 0x1p63)
    return rounded < 0x1p64 ? static_cast<std::uint64_t>(rounded) : ~std::uint64_t{0};
  // 2^63 is exact as a double, the greatest int64 is not.
  if (rounded <= static_cast<double>(limits.min)) return static_cast<std::uint64_t>(limits.min);
  if (rounded >= static_cast<double>(limits.max)) return static_cast<std::uint64_t>(limits.max);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded));
}

/// The bits of the element that is nearest to `number`. `limits`: those of integers.
std::uint64_t bits_of(double number, ElementType type, const std::optional<ValueRange>& limits) {
  if (limits) return integer_bits_of(number, type, *limits);
  if (type == ElementType::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (type == ElementType::f64) return std::bit_cast<std::uint64_t>(number);
  if (!is_small_float(type)) invalid("cannot encode numbers of type " + std::string(info(type).name));
  return encode_small_float(number, type);
}

}  // namespace

bool has_element_bits(ElementType type) {
  const unsigned bits = info(type).bits;
  return bits != 0 && (bits < 8 ? 8 % bits == 0 : bits % 8 == 0);
}

std::uint64_t element_bits(ElementType type, std::span<const std::byte> bytes, std::size_t index) {
  return load(bytes, index, info(type).bits);
}

void set_element_bits(ElementType type, std::span<std::byte> bytes, std::size_t index, std::uint64_t bits) {
  store(bytes, index, info(type).bits, bits);
}

void fill_element_bits(ElementType type, std::span<std::byte> bytes, std::size_t count, std::uint64_t bits) {
  constexpr std::size_t kBlock = 8;  // elements of n bits fill n bytes
  const std::size_t block_size = info(type).bits;
  const std::size_t end = count / kBlock * block_size;
  for (std::size_t i = 0; i < std::min(count, kBlock); ++i) set_element_bits(type, bytes, i, bits);
  for (std::size_t filled = std::min(block_size, end); filled < end;) {
    const std::size_t copied = std::min(filled, end - filled);
    std::memcpy(bytes.data() + filled, bytes.data(), copied);
    filled += copied;
  }
  for (std::size_t i = std::max(kBlock, count - count % kBlock); i < count; ++i)
    set_element_bits(type, bytes, i, bits);
}

ConstantData encode_integers(std::span<const std::int64_t> values, ElementType type) {
  const auto limits = integer_limits(type);
  if (!limits) {
    const std::vector<double> numbers(values.begin(), values.end());
    return encode_numbers(numbers, type);
  }
  ElementBuffer stored = storage(type, values.size());
  const unsigned bits = info(type).bits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < limits->min || values[i] > limits->max)
      invalid(std::to_string(values[i]) + " does not fit into " + std::string(info(type).name));
    store(stored.bytes, i, bits, static_cast<std::uint64_t>(values[i]));
  }
  return stored.take();
}

ConstantData encode_numbers(std::span<const double> values, ElementType type) {
  ElementBuffer stored = storage(type, values.size());
  const auto limits = integer_limits(type);
  const unsigned bits = info(type).bits;
  for (std::size_t i = 0; i < values.size(); ++i)
    store(stored.bytes, i, bits, bits_of(values[i], type, limits));
  return stored.take();
}

std::optional<std::int64_t> decode_integer(ElementType type, std::span<const std::byte> bytes) {
  const Encoding encoding(type);
  if (!encoding.has_integers || !has_element_bits(type) || packed_size(type, 1) != bytes.size())
    return std::nullopt;
  return integer_of(load(bytes, 0, encoding.bits), encoding);
}

std::optional<double> decode_number(ElementType type, std::span<const std::byte> bytes) {
  const Encoding encoding(type);
  if (!has_element_bits(type) || packed_size(type, 1) != bytes.size()) return std::nullopt;
  return number_of(load(bytes, 0, encoding.bits), encoding);
}

std::optional<std::vector<std::int64_t>> decode_integers(ElementType type, std::span<const std::byte> bytes,
                                                         std::size_t count) {
  const Encoding encoding(type);
  if (!encoding.has_integers || packed_size(type, count) != bytes.size()) return std::nullopt;
  if (count != 0 && !has_element_bits(type)) return std::nullopt;
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = integer_of(load(bytes, i, encoding.bits), encoding);
  return values;
}

std::optional<std::vector<double>> decode_numbers(ElementType type, std::span<const std::byte> bytes,
                                                  std::size_t count) {
  const Encoding encoding(type);
  if (packed_size(type, count) != bytes.size()) return std::nullopt;
  if (count != 0 && !has_element_bits(type)) return std::nullopt;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = number_of(load(bytes, i, encoding.bits), encoding);
    if (!number) return std::nullopt;
    values[i] = *number;
  }
  return values;
}

}  // namespace onnx2ir::ir
