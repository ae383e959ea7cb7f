// The conditions for every conversion: an IR that reads back, or errors other than internal errors.
#pragma once

#include <onnx2ir/onnx2ir.hpp>

namespace onnx2ir::fuzz {

/// Limits that keep each run short.
Options limited_options();

/// Ends the process with a message if the outcome is wrong.
void check_outcome(const Conversion& conversion);

}  // namespace onnx2ir::fuzz
