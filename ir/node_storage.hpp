// Memory for the nodes of a model: what is made one after the other stands side by side, and walks over
// nodes run through memory in order.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace onnx2ir::ir {

/// Places for objects of one size, shared by all graphs of a model. Not for several threads at once.
class NodeStorage {
 public:
  explicit NodeStorage(std::size_t size) : size_(size) {}

  /// A place, aligned for any node. Those given back are used first.
  void* allocate();
  void release(void* place);

 private:
  static constexpr std::size_t kPlacesAtOnce = 128;
  std::size_t size_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t used_ = kPlacesAtOnce;  ///< places of the last chunk
  std::vector<void*> released_;
};

}  // namespace onnx2ir::ir
