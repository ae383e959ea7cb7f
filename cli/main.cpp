// The command line tool.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <onnx2ir/onnx2ir.hpp>

#include "cli/arguments.hpp"
#include "cli/command_functions.hpp"
#include "cli/explain.hpp"
#include "cli/messages.hpp"
#include "cli/output_files.hpp"
#include "platform/process.hpp"

namespace {

using namespace onnx2ir::cli;
namespace platform = onnx2ir::platform;

/// Checks whether FILE.xml and FILE.bin were written together.
int check_files(const Arguments& arguments) {
  return report(arguments, onnx2ir::check_files(arguments.checked_files)) ? kModelError : kDone;
}

/// The command that the first word names, or null. A file with such a name is converted as ./show.
const CommandInfo* named_command(const std::vector<std::string>& words) {
  const auto* const found =
      words.empty() ? kCommands.end() : std::ranges::find(kCommands, words[0], &CommandInfo::name);
  return found == kCommands.end() ? nullptr : found;
}

/// The command line whose output `help COMMAND` prints. A problem if there is no such command.
onnx2ir::Result<std::vector<std::string>> help_of(const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return std::vector<std::string>{"--help"};
  if (named_command(words) != nullptr) return std::vector<std::string>{words[0], "--help"};
  const std::string nearest = onnx2ir::nearest_name(words[0], command_names());
  return onnx2ir::Problem{
      onnx2ir::DiagnosticCode::bad_interface,
      "there is no command '" + words[0] + '\'' +
          (nearest.empty() ? "; --help lists the commands" : "; did you mean '" + nearest + "'?")};
}

/// The error for a format that is one document, which cannot be about several models.
std::string format_problem(const Arguments& arguments) {
  const std::string_view format =
      kDiagnosticsFormats.at(static_cast<std::size_t>(arguments.diagnostics_format));
  return "--diagnostics-format " + std::string(format) + " takes one model; run onnx2ir for each" +
         (arguments.command == Command::convert
              ? ", or use --report FILE.json, which has the diagnostics of all models"
              : "");
}

/// The error for a first model that is no file, but nearly the name of a command.
std::optional<std::string> misspelt_command(const std::string& model, const std::string& first_word) {
  std::error_code no_error;
  if (model != first_word || model.find_first_of("./\\") != std::string::npos ||
      std::filesystem::exists(model, no_error))
    return std::nullopt;
  const std::string nearest = onnx2ir::nearest_name(model, command_names());
  if (nearest.empty()) return std::nullopt;
  return "there is neither a file nor a command '" + model + "'; did you mean '" + nearest + "'?";
}

/// The error for models of the command line that the command does not take.
std::optional<std::string> models_problem(const Arguments& arguments, const CommandInfo& command,
                                          const std::string& first_word) {
  const std::vector<std::string>& models = arguments.models;
  if (models.empty() && arguments.checked_files.empty()) return "no model is given; see --help";
  const std::string usage = "onnx2ir " + std::string(command.name) + ' ' + std::string(command.words);
  if (command.models != 0 && models.size() != command.models) return "usage: " + usage;
  if (arguments.report == kStandardStream && arguments.html == kStandardStream)
    return "--report - and --html - would both be written to standard output; name a file for one of them";
  if (arguments.command == Command::convert && !models.empty()) {
    if (auto problem = misspelt_command(models[0], first_word)) return problem;
  }
  const auto streams = std::ranges::count(models, kStandardStream);
  if (command.command == Command::diff && streams > 1)
    return "standard input can be only one of the two models";
  if ((command.command == Command::lint || command.command == Command::legalize) && streams != 0)
    return "an IR is not read from standard input, because its weights are in a second file; name the "
           "file: " +
           usage;
  if (models.size() < 2) return std::nullopt;
  if (!arguments.html.empty() && command.command == Command::convert)
    return "--html takes one model; run onnx2ir show --html FILE.html MODEL for each";
  if (is_for_programs(arguments.diagnostics_format)) return format_problem(arguments);
  return std::nullopt;
}

/// Limits the memory of the process to `most` bytes (--max-memory; 0: no limit), or by default to three
/// quarters of what is available to it, so that a command ends with an error before the system ends other
/// programs.
void limit_memory(std::optional<std::uint64_t> most) {
  if (most) return platform::limit_memory(*most);
  const std::uint64_t share = platform::available_memory() / 4 * 3;
  if (platform::reserved_memory() < share) platform::limit_memory(share);
}

int run(std::vector<std::string> words) {
  const CommandInfo* named = named_command(words);
  if (named != nullptr && named->command == Command::help) {
    words.erase(words.begin());
    const auto line = help_of(words);
    if (!line) {
      std::cerr << "onnx2ir: " << line.error().message << '\n';
      return kUsage;
    }
    words = *line;
    named = named_command(words);
  }
  const CommandInfo& command = named == nullptr ? info_of(Command::convert) : *named;
  const std::string first_word = words.empty() ? "" : words[0];
  if (named != nullptr) words.erase(words.begin());
  if (command.command == Command::explain) return explain(words);
  if (command.command == Command::verify) return verify_model(words);
  Arguments arguments;
  arguments.command = command.command;
  std::optional<std::string> problem =
      parse(words, all_options(arguments), arguments.models, command.command);
  if (!problem && arguments.listing != nullptr) return print_result(arguments.listing(arguments));
  if (!problem) problem = models_problem(arguments, command, first_word);
  if (problem) {
    std::cerr << "onnx2ir: " << *problem << '\n';
    return kUsage;
  }
  limit_memory(arguments.options.max_memory);
  if (command.command == Command::show) return show_model(arguments);
  if (command.command == Command::diff) return diff_models(arguments);
  if (command.command == Command::stats) return count_model(arguments);
  if (command.command == Command::lint) return lint_model(arguments);
  if (command.command == Command::legalize) return legalize_model(arguments);
  return arguments.checked_files.empty() ? convert_models(arguments) : check_files(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  // A conversion creates several tables as large as the model, one after the other. Freed memory is kept for
  // the next table, because the system would have to zero new pages: a tenth of all pages.
  platform::keep_freed_memory();
  platform::use_plain_streams();
  handle_signals();
  try {
    const int code = run(platform::arguments(argc, argv));
    return has_printed_internal_error() ? kInternal : code;
  } catch (const std::bad_alloc&) {
    std::fputs(
        "onnx2ir: the command needs more memory than is available, or than --max-memory allows; raise "
        "the limit, for example --max-memory 4G\n",
        stderr);
    return kModelError;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "onnx2ir: %s\n", fault.what());
    return kInternal;
  }
}
