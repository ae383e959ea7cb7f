// The commands: each function returns the exit code. Also the conversion that several commands share.
#pragma once

#include <onnx2ir/onnx2ir.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// Converts a model; "-": standard input.
Conversion convert_model(const std::string& model, const Options& options);

/// Converts all models and reports the results.
int convert_models(const Arguments& arguments);

/// Prints the IR of the model.
int show_model(const Arguments& arguments);

/// Prints the differences between the two models. The exit code is kDifferent, or as diff(1) kUsage if a
/// model cannot be read.
int diff_models(const Arguments& arguments);

/// Prints the counts of the model.
int count_model(const Arguments& arguments);

/// Prints the layers of the IR that faults of the target affect. The exit code is kDone if there are none,
/// kAffected, or kUsage if the IR cannot be read.
int lint_model(const Arguments& arguments);

/// Writes a copy of the IR with workarounds for the faults of the target that affect its layers.
int legalize_model(const Arguments& arguments);

/// Replaces this process by Python with the package onnx2ir.verify, which gets `words`. Returns only if
/// Python cannot be started.
int verify_model(const std::vector<std::string>& words);

}  // namespace onnx2ir::cli
