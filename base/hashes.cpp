#include "base/hashes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>

namespace onnx2ir::base {
namespace {

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, std::min(sizeof word, bytes.size() - offset));
  return word;
}

constexpr std::array<std::uint32_t, 64> kConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < sizeof word; ++i) word = word << 8U | std::to_integer<std::uint32_t>(bytes[i]);
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

void Sha256::process(const std::byte* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < 16; ++i) words[i] = big_endian(block + 4 * i);
  for (std::size_t i = 16; i < words.size(); ++i) {
    const std::uint32_t a = words[i - 15];
    const std::uint32_t b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U)) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U));
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kConstants[i] + words[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
  const std::size_t filled = size_ % kBlock;
  size_ += bytes.size();
  if (filled != 0) {
    const std::size_t part = std::min(kBlock - filled, bytes.size());
    std::ranges::copy(bytes.first(part), rest_.begin() + static_cast<std::ptrdiff_t>(filled));
    bytes = bytes.subspan(part);
    if (filled + part < kBlock) return;
    process(rest_.data());
  }
  for (; bytes.size() >= kBlock; bytes = bytes.subspan(kBlock)) process(bytes.data());
  std::ranges::copy(bytes, rest_.begin());
}

std::string Sha256::digits() {
  const std::uint64_t bits = size_ * 8;
  const std::size_t filled = size_ % kBlock;
  std::array<std::byte, 2 * kBlock> end{std::byte{0x80}};
  const std::size_t zeros = (filled < kBlock - 8 ? kBlock : 2 * kBlock) - 8 - filled;
  for (std::size_t i = 0; i < 8; ++i) end[zeros + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  add(std::span(end).first(zeros + 8));
  std::string text;
  for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace onnx2ir::base
