// The commands lint and legalize.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

#include "cli/command_functions.hpp"
#include "cli/messages.hpp"
#include "cli/output_files.hpp"
#include "cli/stage_times.hpp"

namespace onnx2ir::cli {
namespace {

/// "'loop/body/Add_3' (Add): FAULT, 2024.6..2026.1: what goes wrong".
std::string line_of(const AffectedLayer& layer) {
  const auto faults = list_faults();
  const FaultInfo& fault = *std::ranges::find(faults, layer.fault, &FaultInfo::name);
  std::string line =
      layer.operation.empty() ? "the model" : "'" + layer.layer + "' (" + layer.operation + ')';
  line += ": " + std::string(fault.name) + ", " + fault.first_release + ".." + fault.last_release;
  if (!fault.instruction_sets.empty()) line += ", only with " + std::string(fault.instruction_sets);
  return line + ": " + (layer.warning.empty() ? std::string(fault.summary) : layer.warning);
}

/// Whether the name or the first byte, the tag of ir_version, shows that a file is an ONNX model.
bool is_onnx_model(const std::filesystem::path& path) {
  constexpr int kTagOfVersion = 8;
  std::error_code no_error;
  if (!std::filesystem::is_regular_file(path, no_error)) return false;
  const auto extension = path.extension();
  return extension == ".onnx" || extension == ".onnxtxt" ||
         std::ifstream(path, std::ios::binary).get() == kTagOfVersion;
}

/// Reads an IR. For an ONNX model, the error says so.
Conversion read_ir_only(const std::string& path) {
  Conversion read = read_ir(path);
  if (!read.model && is_onnx_model(path)) {
    Diagnostic problem =
        error_of(DiagnosticCode::unreadable_ir, "'" + path + "' is an ONNX model, not an IR");
    problem.hint = "convert the model: its IR has the workarounds already";
    read.diagnostics = {std::move(problem)};
  }
  return read;
}

/// The reason why the value of -o is invalid. There is no default: it would be the name of the IR itself.
std::optional<std::string> problem_of_output(const std::string& output) {
  if (output.empty()) return "name the file to write: onnx2ir legalize IR.xml -o FIXED.xml";
  return output_name_problem(output, false);
}

}  // namespace

int lint_model(const Arguments& arguments) {
  return or_failure(kUsage, [&] {
    const Conversion read = read_ir_only(arguments.models[0]);
    if (!read.model) {
      print(arguments, read.diagnostics);
      return kUsage;
    }
    const Lint found = lint(*read.model, arguments.options);
    print(arguments, found.diagnostics);
    if (has_errors(found.diagnostics)) return kUsage;
    std::string text;
    if (arguments.has_json_output) {
      text = to_json(found);
    } else {
      for (const AffectedLayer& layer : found.layers) text += line_of(layer) + '\n';
    }
    if (print_result(text) != kDone) return kUsage;
    return found.layers.empty() ? kDone : kAffected;
  });
}

int legalize_model(const Arguments& arguments) {
  return or_failure(kModelError, [&] {
    if (auto problem = problem_of_output(arguments.output_model)) {
      std::cerr << "onnx2ir: " << *problem << '\n';
      return kUsage;
    }
    const std::filesystem::path xml = xml_path(arguments.models[0], arguments.output_model, false);
    WrittenFiles files(arguments);
    files.add_pair(xml);
    if (report(arguments, files.problem())) return kModelError;
    const Conversion read = read_ir_only(arguments.models[0]);
    if (!read.model) {
      print(arguments, read.diagnostics);
      return kModelError;
    }
    Options options = arguments.options;
    StageTimes times;
    if (arguments.verbose) {
      options.debug.pass_finished = [&times](std::string_view pass, double seconds, bool modified) {
        times.add(pass, seconds, modified);
      };
    }
    const Lint found = lint(*read.model, arguments.options);
    Conversion legal = legalize(*read.model, options);
    if (legal.model) {
      if (auto problem = save_pair(*legal.model, xml, arguments.saving))
        legal.diagnostics.push_back(*std::move(problem));
    }
    print(arguments, legal.diagnostics);
    if (has_errors(legal.diagnostics)) return exit_code_of(legal.diagnostics);
    if (arguments.verbose) std::cerr << times.text("");
    std::string text;
    for (const AffectedLayer& layer : found.layers) {
      if (layer.warning.empty()) text += line_of(layer) + '\n';
    }
    return print_result(text);
  });
}

}  // namespace onnx2ir::cli
