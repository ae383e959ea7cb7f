// A hash table from names to small values, for graphs with millions of names: std::unordered_map follows two
// pointers per look-up and allocates per name. Names come from untrusted files and can be chosen to collide,
// so names that do not fit near their slot go into a sorted tree.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hashes.hpp"

namespace onnx2ir::base {

/// How many nodes ahead the names of a node are prefetched.
inline constexpr int kNodesToPrefetch = 8;

/// A name with its hash, computed once for look-ups in several tables.
struct HashedName {
  std::string_view name;
  std::uint32_t hash;

  HashedName(std::string_view text)  // NOLINT(google-explicit-constructor): tables take plain names
      : name(text), hash(hash_of(text)) {}
  HashedName(const std::string& text)  // NOLINT(google-explicit-constructor): as above
      : HashedName(std::string_view(text)) {}

 private:
  /// Hashes eight letters at a time: std::hash takes three times as long for short names.
  static std::uint32_t hash_of(std::string_view name) {
    std::uint64_t hash = name.size();
    for (; name.size() > sizeof hash; name.remove_prefix(sizeof hash))
      hash = mix(hash, load<std::uint64_t>(name.data()));
    // The last letters as two words, which may overlap: a memcpy of dynamic length would be a function call.
    if (name.size() >= sizeof(std::uint32_t)) {
      const std::uint64_t last = load<std::uint32_t>(name.data() + name.size() - sizeof(std::uint32_t));
      hash = mix(hash, last << 32U | load<std::uint32_t>(name.data()));
    } else if (!name.empty()) {
      const auto letter = [&](std::size_t at) { return std::uint64_t{static_cast<unsigned char>(name[at])}; };
      hash = mix(hash, letter(0) | letter(name.size() / 2) << 8U | letter(name.size() - 1) << 16U);
    }
    // The upper half depends on all letters.
    return static_cast<std::uint32_t>(hash * kHashFactor >> 32U);
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
  /// Adds a name. Returns false, without a change, if the table has it already.
  bool add(const HashedName& name, Value value) {
    const std::size_t before = entries_.size();
    find_or_add(name, std::move(value));
    return entries_.size() != before;
  }

  /// The value of a name; inserts `value` if the name is new. Valid until the next addition.
  Value& find_or_add(const HashedName& name, Value value) {
    if ((entries_.size() + 1) * 2 > slots_.size()) grow(std::max<std::size_t>(slots_.size() * 2, 16));
    const std::size_t at = find_slot(name);
    if (at != kNoSlot && slots_[at].entry != kEmpty) return entries_[slots_[at].entry].second;
    if (const std::uint32_t crowded = find_overflowed(name); crowded != kEmpty)
      return entries_[crowded].second;
    if (entries_.empty()) entries_.reserve(8);
    const auto entry = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back(name.name, std::move(value));
    if (at != kNoSlot) {
      slots_[at] = {name.hash, entry};
    } else {
      crowded_.emplace(name.name, entry);
    }
    return entries_[entry].second;
  }

  /// The value of a name; null if the table does not have it. Valid until the next addition.
  const Value* find(const HashedName& name) const {
    const std::uint32_t entry = find_entry(name);
    return entry == kEmpty ? nullptr : &entries_[entry].second;
  }
  Value* find(const HashedName& name) {
    const std::uint32_t entry = find_entry(name);
    return entry == kEmpty ? nullptr : &entries_[entry].second;
  }

  /// Whether the table is too large for the caches, so that prefetch() is worthwhile.
  bool is_large() const {
    constexpr std::size_t kFitIntoCaches = std::size_t{1} << 16U;
    return slots_.size() > kFitIntoCaches;
  }
  /// Prefetches the memory that find() and add() of `name` will access. The table must be large.
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

  static constexpr std::size_t kNoSlot = static_cast<std::size_t>(-1);
  /// The longest distance of a name from its slot. In a half-full table, random names never reach it.
  static constexpr std::size_t kMaxSteps = 128;

  /// The index of the slot that holds `name`, or of the empty slot for it; kNoSlot if all slots near its
  /// place are taken.
  std::size_t find_slot(const HashedName& name) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = name.hash, last = at + kMaxSteps; at != last; ++at) {
      const Slot& slot = slots_[at & mask];
      if (slot.entry == kEmpty) return at & mask;
      if (slot.hash == name.hash && entries_[slot.entry].first == name.name) return at & mask;
    }
    return kNoSlot;
  }

  /// The entry of a name in the tree; kEmpty if it is not there.
  std::uint32_t find_overflowed(const HashedName& name) const {
    if (crowded_.empty()) return kEmpty;
    const auto found = crowded_.find(name.name);
    return found == crowded_.end() ? kEmpty : found->second;
  }

  std::uint32_t find_entry(const HashedName& name) const {
    if (slots_.empty()) return kEmpty;
    const std::size_t at = find_slot(name);
    if (at != kNoSlot && slots_[at].entry != kEmpty) return slots_[at].entry;
    return find_overflowed(name);
  }

  void grow(std::size_t size) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(size));
    for (const Slot& slot : old) {
      if (slot.entry == kEmpty) continue;
      std::size_t at = slot.hash;
      const std::size_t last = at + kMaxSteps;
      while (at != last && slots_[at & (size - 1)].entry != kEmpty) ++at;
      if (at != last) {
        slots_[at & (size - 1)] = slot;
      } else {
        crowded_.emplace(entries_[slot.entry].first, slot.entry);
      }
    }
  }

  std::vector<std::pair<std::string_view, Value>> entries_;
  std::vector<Slot> slots_;                            ///< a power of two of them, at most half full
  std::map<std::string_view, std::uint32_t> crowded_;  ///< entries without a slot
};

}  // namespace onnx2ir::base
