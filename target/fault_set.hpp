// Sets of faults, for code that does not name single faults: this header does not change if a fault is added.
// Code that names a fault includes target/faults.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace onnx2ir::target {

/// A fault of OpenVINO's runtime; target/faults.hpp has the enumerators.
enum class Fault : std::uint8_t;

/// A set of faults.
class FaultSet {
 public:
  constexpr FaultSet() = default;
  constexpr FaultSet(std::initializer_list<Fault> faults) {
    for (const Fault fault : faults) add(fault);
  }

  constexpr bool contains(Fault fault) const { return (words_[word_of(fault)] & bit_of(fault)) != 0; }
  constexpr bool empty() const { return *this == FaultSet(); }
  constexpr void add(Fault fault) { words_[word_of(fault)] |= bit_of(fault); }
  constexpr void add(const FaultSet& faults) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= faults.words_[i];
  }

  friend constexpr bool operator==(const FaultSet&, const FaultSet&) = default;

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t word_of(Fault fault) { return static_cast<std::size_t>(fault) / kBits; }
  static constexpr std::uint64_t bit_of(Fault fault) {
    return std::uint64_t{1} << (static_cast<std::size_t>(fault) % kBits);
  }

  std::array<std::uint64_t, 256 / kBits> words_{};
};

}  // namespace onnx2ir::target
