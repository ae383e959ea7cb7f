// The data that all graphs of a model share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/constant_data.hpp"
#include "ir/operation_set.hpp"
#include "ir/size_expression.hpp"

namespace onnx2ir::ir {

class Graph;

/// Memory for the nodes of a model. Nodes created one after the other are adjacent, so that walks over nodes
/// access memory in order. Not thread-safe.
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

/// Shares the bytes of equal large constants that own them. A kilobyte of functions that call each other can
/// create the same constant a hundred thousand times. Not thread-safe.
class ConstantPool {
 public:
  /// `data`, or earlier data with the same bytes that is still in use. Small constants, and views on a file
  /// or on memory of the caller, are returned as they are: hashing the weights of a model takes time.
  ConstantData share(ConstantData data);

 private:
  struct Entry {
    std::weak_ptr<const void> owner;
    std::span<const std::byte> bytes;
  };
  std::unordered_multimap<std::uint64_t, Entry> entries_;  ///< by hash; only used for look-ups
};

/// Owned by the graphs together, so that it outlives the nodes of all of them.
struct SharedByGraphs {
  explicit SharedByGraphs(std::size_t node_size) : nodes(node_size) {}

  NodeStorage nodes;
  ConstantPool constants;
  SizeTable sizes;
  OperationSet operations;  ///< that have ever been added
  /// All graphs, bodies before the graph that contains them. Empty if nodes with bodies have changed since
  /// they were collected.
  std::vector<Graph*> graphs;
};

}  // namespace onnx2ir::ir
