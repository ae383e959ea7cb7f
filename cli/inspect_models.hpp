// The commands show and diff, and how they read models.
#pragma once

#include <onnx2ir/onnx2ir.hpp>
#include <string>

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// Whether the file is read as IR, not converted.
bool is_ir(const std::string& path);
/// Reads an IR, or converts an ONNX model; "-" is standard input.
Conversion read_model(const Arguments& arguments, const std::string& path);

/// The arguments with the source kept: pages and comments name the operators of ONNX.
Arguments with_source(Arguments arguments);

/// Prints the IR of the model; returns the exit code.
int show_model(const Arguments& arguments);

/// Prints the differences between the two models; returns the exit code: kDifferent, or as diff(1) kUsage if
/// a model cannot be read.
int diff_models(const Arguments& arguments);

inline constexpr int kDifferent = 1;

}  // namespace onnx2ir::cli
