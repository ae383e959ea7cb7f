#include "backend_xml/data_hash.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/byte_hash.hpp"
#include "ir/narrowing.hpp"

namespace onnx2ir::backend_xml {
namespace {

constexpr std::size_t kSamples = 16;
constexpr std::size_t kPiece = std::size_t{1} << 20U;

/// The offset of sample `i` in `size` bytes; the last sample ends at the end.
std::uint64_t sample_offset(std::uint64_t size, std::size_t i) {
  const std::uint64_t last = size - sizeof(std::uint64_t);
  return i + 1 == kSamples ? last : last / kSamples * i;
}

/// Hashes the properties that distinguish constants besides their bytes.
std::uint64_t seed_of(const ir::ConstantData& data) {
  return base::mix(data.size(), static_cast<std::uint64_t>(data.narrowing()));
}

/// `piece(offset, size)` returns that range of the bytes.
template <typename Piece>
std::uint64_t hash_pieces(const ir::ConstantData& data, Piece piece) {
  std::uint64_t hash = seed_of(data);
  for (std::uint64_t offset = 0; offset < data.size(); offset += kPiece) {
    hash = base::hash_bytes(hash, piece(offset, std::min<std::uint64_t>(kPiece, data.size() - offset)));
  }
  return hash;
}

}  // namespace

std::uint64_t sample_hash(const ir::ConstantData& data) {
  if (data.size() <= kSamples * sizeof(std::uint64_t)) return full_hash(data);
  std::uint64_t hash = seed_of(data);
  for (std::size_t i = 0; i < kSamples; ++i) {
    std::array<std::byte, sizeof(std::uint64_t)> sample{};
    data.copy(sample_offset(data.size(), i), sample);
    hash = base::mix(hash, std::bit_cast<std::uint64_t>(sample));
  }
  return hash;
}

std::uint64_t full_hash(const ir::ConstantData& data) {
  const bool in_place = data.file() == nullptr || data.size() <= kPiece;
  if (in_place)
    return hash_pieces(data, [bytes = data.bytes()](std::uint64_t offset, std::uint64_t size) {
      return bytes.span().subspan(offset, size);
    });
  std::vector<std::byte> buffer(kPiece);
  return hash_pieces(data, [&](std::uint64_t offset, std::uint64_t size) {
    const auto piece = std::span(buffer).first(size);
    data.copy(offset, piece);
    return std::span<const std::byte>(piece);
  });
}

bool are_equal(const ir::ConstantData& a, const ir::ConstantData& b) {
  const auto unchanged = ir::Narrowing::none;
  return a.narrowing() == b.narrowing() && ir::have_equal_bytes(a.narrowed(unchanged), b.narrowed(unchanged));
}

}  // namespace onnx2ir::backend_xml
