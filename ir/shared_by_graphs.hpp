// The data that all graphs of a model share.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/constant_pool.hpp"
#include "ir/node_storage.hpp"
#include "ir/operation_set.hpp"
#include "ir/size_expression.hpp"

namespace onnx2ir::ir {

class Graph;

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
