// A hash table from names to small values, for graphs with millions of them: std::unordered_map follows two
// pointers for each look-up and allocates for each name.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onnx2ir::ir {

/// How many nodes before its turn the names of a node are prefetched.
inline constexpr int kNodesToPrefetch = 8;

/// A name with its hash: whoever looks for it in several tables computes that once.
struct HashedName {
  std::string_view name;
  std::uint32_t hash;

  HashedName(std::string_view text)  // NOLINT(google-explicit-constructor): tables are asked for names
      : name(text), hash(hash_of(text)) {}
  HashedName(const std::string& text)  // NOLINT(google-explicit-constructor): as above
      : HashedName(std::string_view(text)) {}

 private:
  /// Eight letters at a time: names are short, and std::hash takes three times as long for them.
  static std::uint32_t hash_of(std::string_view name) {
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
    std::uint64_t hash = name.size();
    const auto mix = [&](std::uint64_t letters) {
      hash = (hash ^ letters) * kFactor;
      hash ^= hash >> 32U;
    };
    for (; name.size() > sizeof hash; name.remove_prefix(sizeof hash)) mix(load<std::uint64_t>(name.data()));
    // The last letters as two words, which may overlap: copying a number of bytes that only a run tells is a
    // call.
    if (name.size() >= sizeof(std::uint32_t)) {
      const std::uint64_t last = load<std::uint32_t>(name.data() + name.size() - sizeof(std::uint32_t));
      mix(last << 32U | load<std::uint32_t>(name.data()));
    } else if (!name.empty()) {
      const auto letter = [&](std::size_t at) { return std::uint64_t{static_cast<unsigned char>(name[at])}; };
      mix(letter(0) | letter(name.size() / 2) << 8U | letter(name.size() - 1) << 16U);
    }
    return static_cast<std::uint32_t>(hash);
  }
  template <typename Word>
  static Word load(const char* letters) {
    Word word;
    std::memcpy(&word, letters, sizeof word);
    return word;
  }
};

/// Names are not copied: they must outlive the table. At most 2^31 of them.
template <typename Value>
class NameTable {
 public:
  /// Adds a name; false, and no change, when it is there already.
  bool add(const HashedName& name, Value value) {
    const std::size_t before = entries_.size();
    find_or_add(name, std::move(value));
    return entries_.size() != before;
  }

  /// The value of a name, which gets `value` when it is not there yet. Valid until the next addition.
  Value& find_or_add(const HashedName& name, Value value) {
    if ((entries_.size() + 1) * 2 > slots_.size()) grow(std::max<std::size_t>(slots_.size() * 2, 16));
    Slot& slot = slots_[find_slot(name)];
    if (slot.entry == kEmpty) {
      if (entries_.empty()) entries_.reserve(8);
      slot = {name.hash, static_cast<std::uint32_t>(entries_.size())};
      entries_.emplace_back(name.name, std::move(value));
    }
    return entries_[slot.entry].second;
  }

  /// The value of a name, null when it is not there. Valid until the next addition.
  const Value* find(const HashedName& name) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[find_slot(name)];
    return slot.entry == kEmpty ? nullptr : &entries_[slot.entry].second;
  }
  Value* find(const HashedName& name) {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[find_slot(name)];
    return slot.entry == kEmpty ? nullptr : &entries_[slot.entry].second;
  }

  /// Whether the table is too large for caches, so that prefetch() pays.
  bool is_large() const {
    constexpr std::size_t kFitIntoCaches = std::size_t{1} << 16U;
    return slots_.size() > kFitIntoCaches;
  }
  /// Fetches from memory what find() and add() of `name` are soon to look at; the table must be large.
  void prefetch(const HashedName& name) const {
    __builtin_prefetch(&slots_[name.hash & (slots_.size() - 1)]);
  }

  std::size_t size() const { return entries_.size(); }
  void reserve(std::size_t names) {
    entries_.reserve(names);
    if (names * 2 > slots_.size()) grow(std::bit_ceil(names * 2));
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffff;
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = kEmpty;
  };

  /// The index of the slot that holds `name`, or of the empty one where it belongs.
  std::size_t find_slot(const HashedName& name) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = name.hash & mask;; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.entry == kEmpty) return at;
      if (slot.hash == name.hash && entries_[slot.entry].first == name.name) return at;
    }
  }

  void grow(std::size_t size) {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(size));
    for (const Slot& slot : old) {
      if (slot.entry == kEmpty) continue;
      std::size_t at = slot.hash & (size - 1);
      while (slots_[at].entry != kEmpty) at = (at + 1) & (size - 1);
      slots_[at] = slot;
    }
  }

  std::vector<std::pair<std::string_view, Value>> entries_;
  std::vector<Slot> slots_;  ///< a power of two of them, at most half full
};

}  // namespace onnx2ir::ir
