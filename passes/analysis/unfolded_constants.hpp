// Values that are computed from constants, but that OpenVINO may leave for the run time. The CPU plugin
// computes them in the first inference only.
#pragma once

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether `value` is computed from constants, and OpenVINO may not fold one of the steps. It does not fold
/// the conversion of quantised weights either, which computes_weights() recognises.
bool may_stay_unfolded(ir::Value value);

}  // namespace onnx2ir::passes
