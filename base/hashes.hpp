// Hashes of bytes: a fast one, and SHA-256.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace onnx2ir::base {

inline constexpr std::uint64_t kHashFactor = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio

/// Adds a word to a hash.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kHashFactor;
  return hash ^ (hash >> 32U);
}

/// Hashes all bytes, several bytes per cycle. Not collision-resistant against an attacker. Thread-safe.
std::uint64_t hash_bytes(std::uint64_t seed, std::span<const std::byte> bytes);

/// SHA-256 (FIPS 180-4) of bytes that arrive in pieces.
class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  /// 64 hexadecimal digits, of all bytes so far. Call it once.
  std::string digits();

 private:
  static constexpr std::size_t kBlock = 64;
  void process(const std::byte* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, kBlock> rest_{};
  std::uint64_t size_ = 0;  ///< of all bytes so far
};

}  // namespace onnx2ir::base
