// The commands lint and legalize.
#pragma once

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// Prints the layers of the IR that faults of the target affect. Returns the exit code: kDone if there are
/// none, kAffected, or kUsage if the IR cannot be read.
int lint_model(const Arguments& arguments);

/// Writes the IR with workarounds for these faults; returns the exit code.
int legalize_model(const Arguments& arguments);

}  // namespace onnx2ir::cli
