#include "ir/constant_pool.hpp"

#include <cstring>

#include "base/byte_hash.hpp"

namespace onnx2ir::ir {
namespace {

constexpr std::uint64_t kSmall = 1024;
/// Constants whose bytes were chosen to have equal hashes are not compared with all others.
constexpr int kMaxComparisons = 8;

bool are_equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

ConstantData ConstantPool::share(ConstantData data) {
  const auto bytes = data.owned_bytes();
  if (bytes.size() < kSmall) return data;
  const std::uint64_t hash = base::hash_bytes(bytes.size(), bytes);
  int compared = 0;
  for (auto [entry, end] = entries_.equal_range(hash); entry != end && compared < kMaxComparisons;) {
    auto owner = entry->second.owner.lock();
    if (owner == nullptr) {
      entry = entries_.erase(entry);
      continue;
    }
    if (are_equal(entry->second.bytes, bytes))
      return data.with_bytes_of(std::move(owner), entry->second.bytes);
    ++entry;
    ++compared;
  }
  entries_.emplace(hash, Entry{data.owner(), bytes});
  return data;
}

}  // namespace onnx2ir::ir
