// What the tool prints to standard error: errors, warnings, and the summary of a conversion.
#pragma once

#include <onnx2ir/onnx2ir.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// Prints to standard error, in the format that the options select. `model`: the file that the diagnostics
/// are about; empty if the command line names only one.
void print(const Arguments& arguments, std::vector<Diagnostic> diagnostics, std::string_view model = {});

/// Whether standard error has nothing but the diagnostics.
bool is_for_programs(DiagnosticsFormat format);

/// Whether a conversion ends with a line about its result: for people at a terminal, and with --verbose.
bool has_summary(const Arguments& arguments);

/// A written model, for its summary.
struct Written {
  std::string xml;
  std::string bin;
  std::size_t layers = 0;
  std::uint64_t weights = 0;  ///< bytes
  double seconds = 0;
};

/// "model.xml, model.bin: 1,204 layers, 97.3 MiB of weights, 0.4 s".
std::string summary_text(const Written& written);

}  // namespace onnx2ir::cli
