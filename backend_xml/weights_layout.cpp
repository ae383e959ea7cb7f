#include "backend_xml/weights_layout.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>

namespace onnx2ir::backend_xml {
namespace {

constexpr std::uint64_t kAlignment = 64;

/// A fingerprint of up to 16 samples spread over the bytes: cheap for large constants, whole for small ones.
std::uint64_t fingerprint(std::span<const std::byte> bytes) {
  constexpr std::size_t kSamples = 16;
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325 ^ bytes.size();
  const std::size_t words = bytes.size() / sizeof(std::uint64_t);
  const std::size_t step = std::max<std::size_t>(words / kSamples, 1);
  for (std::size_t i = 0; i < words; i += step) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i * sizeof(word), sizeof(word));
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 29;
  }
  for (const std::byte tail : bytes.subspan(words * sizeof(std::uint64_t))) {
    hash = (hash ^ std::to_integer<std::uint64_t>(tail)) * kPrime;
  }
  return hash;
}

bool same_bytes(const ir::ConstantData& a, const ir::ConstantData& b) {
  if (a.size() != b.size()) return false;
  if (a.bytes().data() == b.bytes().data()) return true;
  return std::memcmp(a.bytes().data(), b.bytes().data(), a.size()) == 0;
}

class Layouter {
 public:
  void visit(const ir::Graph& graph) {
    for (const auto& node : graph.nodes()) {
      if (const ir::ConstantData* data = node->constant()) place(*node, *data);
      for (const ir::Graph* body : ir::bodies(*node)) visit(*body);
    }
  }
  WeightsLayout take() { return std::move(layout_); }

 private:
  void place(const ir::Node& node, const ir::ConstantData& data) {
    const auto [first, is_new_size] = first_of_size_.try_emplace(data.size(), layout_.blocks.size());
    // A size seen for the first time cannot be equal to anything: nothing is read.
    if (!is_new_size) {
      const auto block = find_equal(data, first->second);
      if (block) {
        layout_.ranges[&node] = {layout_.blocks[*block].offset, data.size()};
        return;
      }
    }
    const std::uint64_t offset = (layout_.size + kAlignment - 1) / kAlignment * kAlignment;
    layout_.ranges[&node] = {offset, data.size()};
    layout_.blocks.push_back({&data, offset});
    layout_.size = offset + data.size();
  }

  /// The block with the bytes of `data`. `first` is the first block of that size; a block gets its
  /// fingerprint when a second one of its size comes. When there is none, the next block is noted under the
  /// fingerprint of `data`.
  std::optional<std::size_t> find_equal(const ir::ConstantData& data, std::size_t first) {
    if (fingerprinted_sizes_.insert(data.size()).second) {
      by_print_.emplace(fingerprint(layout_.blocks[first].data->bytes()), first);
    }
    const std::uint64_t print = fingerprint(data.bytes());
    const auto [begin, end] = by_print_.equal_range(print);
    for (auto it = begin; it != end; ++it) {
      if (same_bytes(*layout_.blocks[it->second].data, data)) return it->second;
    }
    by_print_.emplace(print, layout_.blocks.size());
    return std::nullopt;
  }

  WeightsLayout layout_;
  std::unordered_map<std::uint64_t, std::size_t> first_of_size_;
  std::unordered_set<std::uint64_t> fingerprinted_sizes_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_print_;
};

}  // namespace

WeightsLayout lay_out_weights(const ir::Model& model) {
  Layouter layouter;
  layouter.visit(model.graph);
  return layouter.take();
}

}  // namespace onnx2ir::backend_xml
