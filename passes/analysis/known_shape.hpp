// Sizes that OpenVINO does not know, but we do.
#pragma once

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// The shape of `value`. A dimension that is dynamic for OpenVINO, but has the same size in each run, is
/// static: hide_initial_shapes makes such dimensions.
ir::PartialShape known_shape(ir::Value value);

}  // namespace onnx2ir::passes
