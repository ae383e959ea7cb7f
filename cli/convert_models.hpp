// Converts the models of a command line and reports the results.
#pragma once

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

inline constexpr int kDone = 0;
inline constexpr int kModelError = 1;
inline constexpr int kUsage = 2;
inline constexpr int kInternal = 3;

/// Converts all models; returns the exit code.
int convert_models(const Arguments& arguments);

}  // namespace onnx2ir::cli
