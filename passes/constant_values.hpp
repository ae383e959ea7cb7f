// Values that OpenVINO folds into constants when it compiles a model.
#pragma once

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether the value is computed from constants in at most `depth` steps.
bool is_folded(ir::Value value, int depth = 4);

}  // namespace onnx2ir::passes
