// The command stats.
#pragma once

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// Prints the counts of the model; returns the exit code.
int count_model(const Arguments& arguments);

}  // namespace onnx2ir::cli
