// The order nodes are translated in: producers before consumers.
#pragma once

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace onnx2ir::frontend {

using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

struct NodeOrder {
  /// Indices of the nodes, producers first; the order of the file where that is one. Nodes on a cycle are
  /// missing.
  std::vector<int> order;
  /// Whether the file's own order had to be changed.
  bool reordered = false;
  /// Nodes that depend on their own output, by index.
  std::vector<int> on_cycle;
};

/// `nodes` as they stand in the file.
NodeOrder file_order(const NodeList& nodes);

/// Orders `nodes`. Names that a node's bodies take from outside count as its inputs. Linear in nodes and
/// names.
NodeOrder order_nodes(const NodeList& nodes);

}  // namespace onnx2ir::frontend
