// The commands show, diff and stats.
#pragma once

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// Prints the IR of the model; returns the exit code.
int show_model(const Arguments& arguments);

/// Prints the differences between the two models; returns the exit code: kDifferent, or as diff(1) kUsage if
/// a model cannot be read.
int diff_models(const Arguments& arguments);

/// Prints the counts of the model; returns the exit code.
int count_model(const Arguments& arguments);

}  // namespace onnx2ir::cli
