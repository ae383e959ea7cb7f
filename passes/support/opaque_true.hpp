// A boolean that is true, for workarounds that keep OpenVINO from computing values at compile time.
#pragma once

#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

/// Creates, for each graph, a boolean that is always true but that OpenVINO cannot fold.
class OpaqueTrue {
 public:
  /// For the main graph: computed from a model input, or from a random number if no input is suitable.
  explicit OpaqueTrue(ir::Graph& main) : main_(&main) {}
  /// For a body of `node`, a node in the graph of `outer`: captured from there.
  OpaqueTrue(OpaqueTrue& outer, ir::Node& node, ir::Body& body)
      : outer_(&outer), node_(&node), body_(&body) {}

  /// The boolean, a scalar. The first call emits it.
  ir::Value get();

 private:
  ir::Value made();
  ir::Value captured();

  ir::Graph* main_ = nullptr;
  OpaqueTrue* outer_ = nullptr;
  ir::Node* node_ = nullptr;
  ir::Body* body_ = nullptr;
  ir::Value value_;
};

}  // namespace onnx2ir::passes
