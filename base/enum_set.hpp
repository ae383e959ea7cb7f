// Sets of enumerators.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>

namespace onnx2ir::base {

/// A set of the enumerators 0 to `kCount` - 1 of `Enum`, a bit for each. At most 16 take two bytes.
template <typename Enum, std::size_t kCount>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<Enum> elements) {
    for (const Enum element : elements) add(element);
  }

  constexpr void add(Enum element) { words_[word(element)] |= bit(element); }
  constexpr void add(const EnumSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  constexpr void remove(const EnumSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= static_cast<Word>(~other.words_[i]);
  }
  constexpr EnumSet common(const EnumSet& other) const {
    EnumSet result = *this;
    for (std::size_t i = 0; i < words_.size(); ++i) result.words_[i] &= other.words_[i];
    return result;
  }

  constexpr bool is_empty() const { return *this == EnumSet(); }
  constexpr bool contains(Enum element) const { return (words_[word(element)] & bit(element)) != 0; }
  constexpr bool contains(const EnumSet& other) const { return common(other) == other; }
  constexpr bool intersects(const EnumSet& other) const { return !common(other).is_empty(); }
  /// Calls `visit` with each element, in order.
  template <typename Visit>
  constexpr void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (Word left = words_[i]; left != 0; left &= static_cast<Word>(left - 1))
        visit(static_cast<Enum>(i * kBits + static_cast<std::size_t>(std::countr_zero(left))));
    }
  }

  friend constexpr bool operator==(const EnumSet&, const EnumSet&) = default;

 private:
  using Word = std::conditional_t<(kCount <= 16), std::uint16_t, std::uint64_t>;
  static constexpr std::size_t kBits = std::numeric_limits<Word>::digits;
  static constexpr std::size_t word(Enum element) { return static_cast<std::size_t>(element) / kBits; }
  static constexpr Word bit(Enum element) {
    return static_cast<Word>(Word{1} << (static_cast<std::size_t>(element) % kBits));
  }

  std::array<Word, (kCount + kBits - 1) / kBits> words_ = {};
};

}  // namespace onnx2ir::base
