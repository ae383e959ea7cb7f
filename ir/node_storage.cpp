#include "ir/node_storage.hpp"

namespace onnx2ir::ir {

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
