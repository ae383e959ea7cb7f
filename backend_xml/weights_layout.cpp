#include "backend_xml/weights_layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hashes.hpp"
#include "ir/narrowing.hpp"

namespace onnx2ir::backend_xml {
namespace {

constexpr std::uint64_t kAlignment = 64;
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

/// Hashes all bytes, in bounded memory. Here and below: throws Failure (unreadable_input).
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

/// Hashes the size, the narrowing, and some samples of the bytes; up to 128 bytes, all of them.
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

bool are_equal(const ir::ConstantData& a, const ir::ConstantData& b) {
  const auto unchanged = ir::Narrowing::none;
  return a.narrowing() == b.narrowing() && ir::have_equal_bytes(a.narrowed(unchanged), b.narrowed(unchanged));
}

class Layouter {
 public:
  void visit(const ir::Graph& graph) {
    for (const auto& node : graph.nodes()) {
      if (!node->has_payload()) continue;
      if (const ir::ConstantData* data = node->constant()) layout_.offsets.push_back(place(*data));
      for (const ir::Body* body : ir::bodies(*node)) visit(*body->graph);
    }
  }
  WeightsLayout take() {
    // For a model whose constants are all empty: the runtime crashes on an empty weights file.
    static const ir::ConstantData kOneByte(std::vector<std::byte>(1));
    if (layout_.size == 0 && !layout_.offsets.empty()) {
      layout_.blocks = {{&kOneByte, 0}};
      layout_.size = kOneByte.size();
      layout_.is_filler = true;
    }
    return std::move(layout_);
  }

 private:
  std::uint64_t place(const ir::ConstantData& data) {
    const std::size_t next = layout_.blocks.size();
    if (const auto equal = find_equal(data, next)) return layout_.blocks[*equal].offset;
    const std::uint64_t offset = (layout_.size + kAlignment - 1) / kAlignment * kAlignment;
    layout_.blocks.push_back({&data, offset});
    layout_.size = offset + data.written_size();
    return offset;
  }

  /// The block that has the bytes of `data`; no value if `data` becomes block `next`. Constants are compared
  /// by size, then by samples, then by all bytes. A block is hashed only as far as later blocks require, and
  /// only once.
  std::optional<std::size_t> find_equal(const ir::ConstantData& data, std::size_t next) {
    const Size size{data.size(), data.narrowing()};
    const auto [of_size, is_new_size] = first_of_size_.try_emplace(size, next);
    if (is_new_size) return std::nullopt;
    if (sampled_sizes_.insert(size).second) {
      first_of_sample_.emplace(sample_hash(*layout_.blocks[of_size->second].data), of_size->second);
    }
    const std::uint64_t sample = sample_hash(data);
    const auto [of_sample, is_new_sample] = first_of_sample_.try_emplace(sample, next);
    if (is_new_sample) return std::nullopt;
    if (hashed_samples_.insert(sample).second) {
      by_hash_.emplace(full_hash(*layout_.blocks[of_sample->second].data), of_sample->second);
    }
    const std::uint64_t hash = full_hash(data);
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (are_equal(*layout_.blocks[it->second].data, data)) return it->second;
    }
    by_hash_.emplace(hash, next);
    return std::nullopt;
  }

  WeightsLayout layout_;
  /// Constants that are narrowed are compared before narrowing, and only with each other.
  using Size = std::pair<std::uint64_t, ir::Narrowing>;
  std::map<Size, std::size_t> first_of_size_;
  std::set<Size> sampled_sizes_;
  std::unordered_map<std::uint64_t, std::size_t> first_of_sample_;
  std::unordered_set<std::uint64_t> hashed_samples_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
};

}  // namespace

WeightsLayout lay_out_weights(const ir::Model& model) {
  Layouter layouter;
  layouter.visit(model.graph);
  return layouter.take();
}

}  // namespace onnx2ir::backend_xml
