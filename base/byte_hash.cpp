#include "base/byte_hash.hpp"

#include <algorithm>
#include <array>

namespace onnx2ir::base {
namespace {

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, std::min(sizeof word, bytes.size() - offset));
  return word;
}

}  // namespace

std::uint64_t hash_bytes(std::uint64_t seed, std::span<const std::byte> bytes) {
  // Four independent chains, so that a multiplication does not wait for the previous one.
  std::array<std::uint64_t, 4> chains{seed, seed + 1, seed + 2, seed + 3};
  std::size_t offset = 0;
  for (; offset + sizeof chains <= bytes.size(); offset += sizeof chains) {
    for (std::size_t i = 0; i < chains.size(); ++i) {
      chains[i] = mix(chains[i], word_at(bytes, offset + i * sizeof(std::uint64_t)));
    }
  }
  std::uint64_t hash = bytes.size();
  for (const std::uint64_t chain : chains) hash = mix(hash, chain);
  for (; offset < bytes.size(); offset += sizeof(std::uint64_t)) hash = mix(hash, word_at(bytes, offset));
  return hash;
}

}  // namespace onnx2ir::base
