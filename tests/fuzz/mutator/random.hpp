// Random numbers that a seed determines on every platform.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnx2ir::fuzz {

/// SplitMix64: https://prng.di.unimi.it/splitmix64.c
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31U);
  }
  /// From 0 to `count` - 1; `count` is at least 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  /// From `first` to `last`, both included.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(below(static_cast<std::size_t>(last - first) + 1));
  }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <typename List>
  const auto& pick(const List& list) {
    return list[below(list.size())];
  }

 private:
  std::uint64_t state_;
};

/// An index into a list of protobuf with `count` elements.
inline int any_index(int count, Random& random) {
  return static_cast<int>(random.below(static_cast<std::size_t>(count)));
}

}  // namespace onnx2ir::fuzz
