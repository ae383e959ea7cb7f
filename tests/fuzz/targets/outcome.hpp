// What a conversion of any input must give: an IR that reads back, or errors that are not faults of onnx2ir.
#pragma once

#include <onnx2ir/onnx2ir.hpp>

namespace onnx2ir::fuzz {

/// Limits that keep each run short.
Options limited_options();

/// Ends the process with a message if the outcome is wrong.
void check_outcome(const Conversion& conversion);

}  // namespace onnx2ir::fuzz
