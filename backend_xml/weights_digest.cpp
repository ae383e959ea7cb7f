#include "backend_xml/weights_digest.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/byte_hash.hpp"
#include "ir/narrowing.hpp"

namespace onnx2ir::backend_xml {
namespace {

constexpr std::uint64_t kWhole = std::uint64_t{1} << 16U;
constexpr std::uint64_t kPieces = 16;
constexpr std::uint64_t kPiece = 4096;

class Digest {
 public:
  Digest(std::uint64_t file_size, const WeightsReader& read) : read_(&read), hash_(file_size) {}

  void add(std::size_t index, const WeightsRange& range) {
    number(range.offset);
    number(range.size);
    if (range.size <= kWhole) return bytes(index, range.offset, range.size);
    const std::uint64_t last = range.size - kPiece;
    for (std::uint64_t i = 0; i < kPieces; ++i) {
      // Rounded to whole elements, whose size is a power of two.
      const std::uint64_t at = i + 1 == kPieces ? last : last / (kPieces - 1) * i;
      bytes(index, range.offset + at / sizeof(double) * sizeof(double), kPiece);
    }
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  void number(std::uint64_t value) { hash_ = base::hash_bytes(hash_, std::as_bytes(std::span(&value, 1))); }
  void bytes(std::size_t index, std::uint64_t offset, std::uint64_t size) {
    if (buffer_.size() < size) buffer_.resize(size);
    const auto target = std::span(buffer_).first(size);
    (*read_)(index, offset, target);
    hash_ = base::hash_bytes(hash_, target);
  }

  const WeightsReader* read_;
  std::uint64_t hash_;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::string weights_digest(std::uint64_t file_size, std::vector<WeightsRange> constants,
                           const WeightsReader& read) {
  std::erase_if(constants, [](const WeightsRange& range) { return range.size == 0; });
  std::ranges::sort(constants);
  constants.erase(std::unique(constants.begin(), constants.end()), constants.end());
  Digest digest(file_size, read);
  for (std::size_t i = 0; i < constants.size(); ++i) digest.add(i, constants[i]);
  return digest.text();
}

std::string weights_digest(const WeightsLayout& layout) {
  std::vector<WeightsRange> ranges;
  std::vector<const ir::ConstantData*> data;
  const bool has_constants = !layout.is_filler;
  for (const WeightsLayout::Block& block : layout.blocks) {
    if (!has_constants || block.data->written_size() == 0) continue;
    ranges.push_back({block.offset, block.data->written_size()});
    data.push_back(block.data);
  }
  const auto read = [&](std::size_t range, std::uint64_t offset, std::span<std::byte> target) {
    ir::copy_written(*data[range], offset - ranges[range].offset, target);
  };
  return weights_digest(layout.size, ranges, read);
}

}  // namespace onnx2ir::backend_xml
