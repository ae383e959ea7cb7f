// Converts the models of a command line and reports the results.
#pragma once

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// Converts all models; returns the exit code.
int convert_models(const Arguments& arguments);

}  // namespace onnx2ir::cli
