#include "ir/text/constants.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/hashes.hpp"
#include "base/number_text.hpp"
#include "ir/element_bits.hpp"
#include "ir/narrowing.hpp"
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

namespace {

/// Constants with more elements or bytes are printed as splats or weights.
constexpr std::size_t kMaxListedElements = 32;
constexpr std::size_t kMaxListedBytes = 256;
/// Constants with at least this many equal elements are printed as splats.
constexpr std::size_t kMinSplatElements = 9;

/// Elements [first, first + count) as they are written. `first` must be a multiple of 8.
std::vector<std::byte> written_elements(ElementType type, const ConstantData& data, std::size_t first,
                                        std::size_t count) {
  std::vector<std::byte> bytes(*packed_size(type, count));
  copy_written(data, *packed_size(type, first), bytes);
  return bytes;
}

/// Whether all written elements of `data` are `bits`. Stops soon after the first one that is not.
bool all_are(std::uint64_t bits, ElementType type, const ConstantData& data, std::size_t count) {
  constexpr std::size_t kPiece = 4096;
  for (std::size_t first = 0; first < count; first += kPiece) {
    const std::size_t size = std::min(kPiece, count - first);
    const std::vector<std::byte> piece = written_elements(type, data, first, size);
    for (std::size_t i = 0; i < size; ++i) {
      if (element_bits(type, piece, i) != bits) return false;
    }
  }
  return true;
}

/// Whether the constant can be printed as a list of elements: the type has printable elements, their number
/// fits the shape, and the unused bits of the last byte are zero.
bool has_elements(const Output& output, const ConstantData& data) {
  const auto count = output.shape.element_count();
  if (!count || !has_element_bits(output.type)) return false;
  const auto elements = static_cast<std::size_t>(*count);
  if (packed_size(output.type, elements) != data.written_size()) return false;
  const unsigned bits = info(output.type).bits;
  if (bits >= 8) return true;
  if (elements == data.size() * 8 / bits) return true;
  const ConstantBytes bytes = data.bytes();
  for (std::size_t i = elements; i < data.size() * 8 / bits; ++i) {
    if (element_bits(output.type, bytes, i) != 0) return false;
  }
  return true;
}

std::string hexadecimal(const ConstantData& data) {
  std::string text = "bytes \"";
  const ConstantBytes bytes = data.bytes();
  for (const std::byte byte : bytes.span()) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text + '"';
}

/// The first `count` elements: "[1, 2, 3]", or "1" for a scalar.
std::string list(const Output& output, const ConstantData& data, std::size_t count) {
  const std::vector<std::byte> bytes = written_elements(output.type, data, 0, count);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) text += ", ";
    text += element_text(output.type, element_bits(output.type, bytes, i));
  }
  return output.shape.is_scalar() ? text : '[' + text + ']';
}

}  // namespace

std::string hash_text(const ConstantData& data) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  constexpr std::size_t kDigits = 16;
  const std::uint64_t size = data.written_size();
  std::vector<std::byte> buffer(std::min<std::uint64_t>(kPiece, size));
  base::Sha256 hash;
  for (std::uint64_t offset = 0; offset < size; offset += kPiece) {
    const auto piece = std::span(buffer).first(std::min<std::uint64_t>(kPiece, size - offset));
    copy_written(data, offset, piece);
    hash.add(piece);
  }
  return "sha256:" + hash.digits().substr(0, kDigits);
}

std::string ConstantPrinter::text(const Output& output, const ConstantData& data) {
  if (!has_elements(output, data)) {
    return data.size() <= kMaxListedBytes && data.narrowing() == Narrowing::none ? hexadecimal(data)
                                                                                 : placed(data);
  }
  const auto count = static_cast<std::size_t>(*output.shape.element_count());
  if (count >= kMinSplatElements && data.written_size() <= kMaxSplatBytes - splat_bytes_) {
    const std::uint64_t first = element_bits(output.type, written_elements(output.type, data, 0, 1), 0);
    if (all_are(first, output.type, data, count)) {
      splat_bytes_ += data.written_size();
      return "splat " + element_text(output.type, first);
    }
  }
  return count > kMaxListedElements ? placed(data) : list(output, data, count);
}

std::string ConstantPrinter::summary(const Output& output, const ConstantData& data) {
  constexpr std::size_t kShownElements = 8;
  std::string summary = text(output, data);
  if (!summary.starts_with("sha256:") || !has_elements(output, data)) return summary;
  std::string first = list(output, data, kShownElements);
  first.insert(first.size() - 1, ", ...");
  return summary + ' ' + first;
}

std::string ConstantPrinter::placed(const ConstantData& data) {
  if (weights_ == nullptr) return hash_text(data);
  constexpr std::uint64_t kAlignment = 64;
  const auto [found, is_new] = blocks_.try_emplace(data.place(), weights_->blocks.size());
  bool is_known = !is_new;
  if (is_known) {
    const ConstantData& block = weights_->blocks[found->second].data;
    is_known = block.size() == data.size() && block.narrowing() == data.narrowing();
  }
  if (!is_known) {
    found->second = weights_->blocks.size();
    const std::uint64_t offset = (weights_->size + kAlignment - 1) / kAlignment * kAlignment;
    weights_->blocks.push_back({data, offset});
    weights_->size = offset + data.written_size();
  }
  return fmt::format("weights({}, {})", weights_->blocks[found->second].offset, data.written_size());
}

}  // namespace onnx2ir::ir
