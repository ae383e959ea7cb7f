// What the tool prints: results, errors, warnings, and the summary of a conversion.
#pragma once

#include <functional>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// Prints to standard error, in the format that the options select. `model`: the file that the diagnostics
/// are about; empty if the command line names only one. For the main thread. A command calls it once for a
/// model: JSON and SARIF are one document.
void print(const Arguments& arguments, std::vector<Diagnostic> diagnostics, std::string_view model = {});

/// Whether print() has had an internal error: the exit code is kInternal, whatever the command is.
bool has_printed_internal_error();

/// Prints the problem, if there is one. Returns whether there is.
bool report(const Arguments& arguments, const std::optional<Diagnostic>& problem);

/// Returns the reason of a failure.
std::optional<std::string> write_to_standard_output(std::string_view text);
/// Prints the result of a command to standard output, or the reason of a failure to standard error; returns
/// the exit code.
int print_result(std::string_view text);

/// Runs `work`, and returns its exit code. If it throws std::runtime_error, because a file cannot be read any
/// more, prints the reason to standard error and returns `code`.
int or_failure(int code, const std::function<int()>& work);

bool has_errors(const std::vector<Diagnostic>& diagnostics);

/// The exit code of a command with these diagnostics: an unknown release is wrong usage.
int exit_code_of(const std::vector<Diagnostic>& diagnostics);

/// Names the option in the errors of commands that had too little memory. `most`: --max-memory.
void add_memory_hints(const std::optional<std::uint64_t>& most, std::vector<Diagnostic>& diagnostics);

/// An error without a place.
Diagnostic error_of(DiagnosticCode code, std::string message);

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
