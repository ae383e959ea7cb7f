#include "ir/text/elements.hpp"

#include <fmt/core.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "base/number_text.hpp"
#include "ir/small_floats.hpp"

namespace onnx2ir::ir {
namespace {

/// Parses a floating-point number. from_chars also accepts "infinity" and "nan(...)", which are rejected.
template <typename Number>
std::optional<Number> float_from_text(std::string_view text) {
  const std::string_view unsigned_text = text.substr(text.starts_with('-') ? 1 : 0);
  const bool is_number =
      !unsigned_text.empty() && unsigned_text.front() >= '0' && unsigned_text.front() <= '9';
  if (!is_number && unsigned_text != "inf" && unsigned_text != "nan") return std::nullopt;
  return base::parse_number<Number>(text);
}

std::uint64_t mask_of(ElementType type) {
  return ~std::uint64_t{0} >> (64 - info(type).bits);
}

std::optional<std::uint64_t> float_bits(ElementType type, std::string_view text) {
  if (type == ElementType::f32) {
    const auto number = float_from_text<float>(text);
    if (!number) return std::nullopt;
    return std::bit_cast<std::uint32_t>(*number);
  }
  const auto number = float_from_text<double>(text);
  if (!number) return std::nullopt;
  if (type == ElementType::f64) return std::bit_cast<std::uint64_t>(*number);
  if (!is_small_float(type)) return std::nullopt;
  return encode_small_float(*number, type);
}

/// The shortest number that rounds to `bits`.
std::optional<std::string> float_text(ElementType type, std::uint64_t bits) {
  const auto stands_for_bits = [&](std::string_view text) { return float_bits(type, text) == bits; };
  std::string text;
  if (type == ElementType::f32) {
    text = base::number_text(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  } else if (type == ElementType::f64) {
    text = base::number_text(std::bit_cast<double>(bits));
  } else if (is_small_float(type)) {
    const double number = decode_small_float(static_cast<std::uint32_t>(bits), type);
    constexpr int kMaxDigits = 9;
    const std::string exact = base::number_text(number);
    for (int digits = 1; std::isfinite(number) && digits <= kMaxDigits; ++digits) {
      std::string rounded = base::number_text(number, std::chars_format::general, digits);
      if (rounded.size() >= exact.size()) break;
      if (stands_for_bits(rounded)) return rounded;
    }
    text = exact;
  }
  if (!stands_for_bits(text)) return std::nullopt;  // a NaN with other bits than the default
  return text;
}

std::optional<std::uint64_t> integer_bits(ElementType type, std::string_view text) {
  const unsigned bits = info(type).bits;
  if (is_signed_integral(type)) {
    const auto number = base::parse_number<std::int64_t>(text);
    if (!number || *number < std::int64_t{-1} << (bits - 1) || *number > ~(std::int64_t{-1} << (bits - 1)))
      return std::nullopt;
    return static_cast<std::uint64_t>(*number) & mask_of(type);
  }
  const auto number = base::parse_number<std::uint64_t>(text);
  if (!number || *number > mask_of(type)) return std::nullopt;
  return number;
}

std::string integer_text(ElementType type, std::uint64_t bits) {
  if (!is_signed_integral(type)) return std::to_string(bits);
  const unsigned unused = 64 - info(type).bits;
  return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
}

}  // namespace

std::string element_text(ElementType type, std::uint64_t bits) {
  if (type == ElementType::boolean && bits <= 1) return bits != 0 ? "true" : "false";
  if (is_integral(type)) return integer_text(type, bits);
  if (is_floating(type)) {
    if (auto text = float_text(type, bits)) return *std::move(text);
  }
  return fmt::format("{:#x}", bits);
}

std::optional<std::uint64_t> element_from_text(ElementType type, std::string_view text) {
  if (text.starts_with("0x")) {
    const auto bits = base::parse_number<std::uint64_t>(text.substr(2), 16);
    if (!bits || *bits > mask_of(type)) return std::nullopt;
    return bits;
  }
  if (type == ElementType::boolean) {
    if (text == "true") return 1;
    if (text == "false") return 0;
    return std::nullopt;
  }
  return is_integral(type) ? integer_bits(type, text) : float_bits(type, text);
}

std::string real_text(double value) {
  std::string exact = base::number_text(value);
  const auto narrow = static_cast<float>(value);
  if (static_cast<double>(narrow) != value) return exact;
  std::string single = base::number_text(narrow) + "f";
  return single.size() < exact.size() ? single : exact;
}

std::optional<double> real_from_text(std::string_view text) {
  if (!text.ends_with('f') || text.ends_with("inf")) return float_from_text<double>(text);
  const auto single = float_from_text<float>(text.substr(0, text.size() - 1));
  if (!single) return std::nullopt;
  return *single;
}

}  // namespace onnx2ir::ir
