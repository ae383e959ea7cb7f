// The order in which nodes are translated: producers before consumers.
#pragma once

#include <vector>

#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {

using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

struct NodeOrder {
  /// Indices of the nodes, producers first; the order of the file if that is valid. Without nodes on cycles.
  std::vector<int> order;
  /// Nodes that depend on their own output, by index.
  std::vector<int> on_cycle;
};

/// `nodes` in the order of the file.
NodeOrder file_order(const NodeList& nodes);

/// Orders `nodes`. Names that a node's bodies capture count as its inputs. Linear in nodes and names.
NodeOrder order_nodes(const NodeList& nodes);

}  // namespace onnx2ir::frontend
