#include "ir/shared_by_graphs.hpp"

#include <cstring>

#include "base/hashes.hpp"

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

void* NodeStorage::allocate() {
  if (!released_.empty()) {
    void* const place = released_.back();
    released_.pop_back();
    return place;
  }
  if (used_ == kPlacesAtOnce) {
    // Reserve here, because release() is called by destructors and must not allocate.
    const std::size_t places = (chunks_.size() + 1) * kPlacesAtOnce;
    if (released_.capacity() < places) released_.reserve(2 * places);
    // Not initialised, so that unused memory is never touched.
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kPlacesAtOnce * size_));
    used_ = 0;
  }
  return chunks_.back().get() + size_ * used_++;
}

void NodeStorage::release(void* place) {
  released_.push_back(place);  // allocate() has reserved the capacity
}

}  // namespace onnx2ir::ir
