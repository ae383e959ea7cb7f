// The elementwise operations that the CPU plugin may fuse into the kernel before them.
#pragma once

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// The only operation that reads output 0 of `node`, if it is elementwise; null otherwise. OpenVINO moves
/// elementwise operations before a Reshape or Transpose, which is passed over.
ir::Node* fused_reader(const ir::Node& node);

}  // namespace onnx2ir::passes
