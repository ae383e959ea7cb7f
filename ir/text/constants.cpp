#include "ir/text/constants.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/sha256.hpp"
#include "ir/element_bits.hpp"
#include "ir/narrowing.hpp"
#include "ir/text/elements.hpp"

namespace onnx2ir::ir {
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
