// Operations that can return the shape of an earlier inference (Fault::stale_empty_shapes).
#pragma once

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether `node` is a VariadicSplit, Tile or TopK whose output shape depends on an input that can change
/// between two inferences while its data is empty and keeps its shape. The CPU plugin compares this input
/// with the one of the last inference that had elements, so it may not notice the change.
bool may_keep_stale_shape(const ir::Node& node);

}  // namespace onnx2ir::passes
