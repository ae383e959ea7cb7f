// A fast hash of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace onnx2ir::base {

inline constexpr std::uint64_t kHashFactor = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio

/// Adds a word to a hash.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kHashFactor;
  return hash ^ (hash >> 32U);
}

/// Hashes all bytes, several bytes per cycle. Not collision-resistant against an attacker. Thread-safe.
std::uint64_t hash_bytes(std::uint64_t seed, std::span<const std::byte> bytes);

}  // namespace onnx2ir::base
