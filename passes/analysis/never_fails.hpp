// Operations that cannot fail, so that they can be computed also where their results are unused.
#pragma once

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether `node` is computed without an error for all inputs of its types and shapes. False if in doubt.
bool never_fails(const ir::Node& node);

}  // namespace onnx2ir::passes
