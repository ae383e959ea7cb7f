// The commands show and diff.
#pragma once

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// Prints the IR of the model; returns the exit code.
int show_model(const Arguments& arguments);

/// Prints the differences between the two models; returns the exit code: kDifferent, or as diff(1) kUsage if
/// a model cannot be read.
int diff_models(const Arguments& arguments);

inline constexpr int kDifferent = 1;

}  // namespace onnx2ir::cli
