#include "ir/constant_pool.hpp"

#include <algorithm>
#include <string_view>

#include "ir/name_table.hpp"

namespace onnx2ir::ir {
namespace {

constexpr std::uint64_t kSmall = 1024;
/// Constants whose bytes were chosen to have equal hashes are not compared with all others.
constexpr int kMaxComparisons = 8;

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  // The hash of names reads bytes as characters. NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const HashedName name(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return std::uint64_t{name.hash} ^ std::uint64_t{bytes.size()} << 32U;
}

}  // namespace

ConstantData ConstantPool::share(ConstantData data) {
  const auto bytes = data.owned_bytes();
  if (bytes.size() < kSmall) return data;
  const std::uint64_t hash = hash_of(bytes);
  int compared = 0;
  for (auto [entry, end] = entries_.equal_range(hash); entry != end && compared < kMaxComparisons;) {
    auto owner = entry->second.owner.lock();
    if (owner == nullptr) {
      entry = entries_.erase(entry);
      continue;
    }
    if (std::ranges::equal(entry->second.bytes, bytes))
      return data.with_bytes_of(std::move(owner), entry->second.bytes);
    ++entry;
    ++compared;
  }
  entries_.emplace(hash, Entry{data.owner(), bytes});
  return data;
}

}  // namespace onnx2ir::ir
