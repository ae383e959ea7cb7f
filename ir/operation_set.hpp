// Sets of operations: those that a graph contains, or that a pass looks for.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "ir/operations.hpp"

namespace onnx2ir::ir {

class OperationSet {
 public:
  constexpr OperationSet() = default;
  constexpr OperationSet(std::initializer_list<Op> operations) {
    for (const Op op : operations) add(op);
  }

  constexpr void add(Op op) { words_[word(op)] |= bit(op); }
  constexpr bool contains(Op op) const { return (words_[word(op)] & bit(op)) != 0; }
  /// Calls `visit` with each operation, in order.
  template <typename Visit>
  constexpr void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1)
        visit(static_cast<Op>(i * kBits + static_cast<std::size_t>(std::countr_zero(left))));
    }
  }
  constexpr bool is_empty() const { return *this == OperationSet(); }
  constexpr void add(const OperationSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  friend constexpr bool operator==(const OperationSet&, const OperationSet&) = default;
  /// Whether the sets have an operation in common.
  constexpr bool intersects(const OperationSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t word(Op op) { return static_cast<std::size_t>(op) / kBits; }
  static constexpr std::uint64_t bit(Op op) {
    return std::uint64_t{1} << (static_cast<std::size_t>(op) % kBits);
  }

  std::array<std::uint64_t, (kOperationCount + kBits - 1) / kBits> words_ = {};
};

}  // namespace onnx2ir::ir
