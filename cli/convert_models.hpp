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

/// Prints to standard error, in the format that the options select. `model`: the file that the diagnostics
/// are about; empty if the command line names only one.
void print(const Arguments& arguments, const std::vector<Diagnostic>& diagnostics,
           std::string_view model = {});

}  // namespace onnx2ir::cli
