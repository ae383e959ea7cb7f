// Memory for the nodes of a model. Nodes created one after the other are adjacent, so that walks over nodes
// access memory in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace onnx2ir::ir {

/// Allocates objects of one size, for all graphs of a model. Not thread-safe.
class NodeStorage {
 public:
  explicit NodeStorage(std::size_t size) : size_(size) {}

  /// Memory aligned for any node. Released memory is reused first.
  void* allocate();
  void release(void* place);

  /// Node::emitter of new nodes.
  std::uint16_t emitter = 0;

 private:
  static constexpr std::size_t kPlacesAtOnce = 128;
  std::size_t size_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t used_ = kPlacesAtOnce;  ///< places of the last chunk
  std::vector<void*> released_;
};

}  // namespace onnx2ir::ir
