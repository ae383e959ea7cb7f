// The arguments of the command line.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <onnx2ir/onnx2ir.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"

namespace onnx2ir::cli {

/// The first word of the command line: what to do with the models.
enum class Command : std::uint8_t { convert, show, diff, verify, lint, legalize, explain, help };

struct CommandInfo {
  Command command = Command::convert;
  std::string_view name;   ///< empty for a conversion
  std::string_view words;  ///< "MODEL..."
  std::size_t models = 0;  ///< how many it takes; 0: one or more
  std::string_view summary;
};

inline constexpr std::array<CommandInfo, 8> kCommands{{
    {Command::convert, "", "MODEL...", 0, "convert the models"},
    {Command::show, "show", "MODEL", 1,
     "print the IR of a model as text, with a hash for each large constant, or with --html as a page; MODEL "
     "can also be an IR, FILE.xml, or text IR, FILE.ir"},
    {Command::diff, "diff", "OLD NEW", 2,
     "list the differences between two models or IRs: names, types, attributes, weights, connections; exit "
     "code 0 if they are equal, 1 if they differ, 2 if one cannot be read"},
    {Command::verify, "verify", "MODEL [IR.xml]", 0,
     "run the model in onnxruntime and its IR in OpenVINO, and compare the outputs; verify --help lists its "
     "own options; needs the Python packages numpy, onnx, onnxruntime and openvino"},
    {Command::lint, "lint", "IR.xml", 1,
     "list the layers of an IR, also of OpenVINO, that releases of the target compute wrongly, with the "
     "faults; exit code 0 if there are none, 1 if there are, 2 if the IR cannot be read"},
    {Command::legalize, "legalize", "IR.xml", 1,
     "work around these faults, and write the IR to the file that -o names"},
    {Command::explain, "explain", "WORD...", 0,
     "explain the code of an error, a fault of OpenVINO, an operator, an option or a pass, or print the "
     "document about a topic; without words: list the topics"},
    {Command::help, "help", "[COMMAND]", 0, "print the options of all commands, or those of one"},
}};

/// A list to print instead of a conversion.
enum class Listing : std::uint8_t {
  none,
  help,
  version,
  operators,
  passes,
  faults,
  diagnostics,
  documentation
};

/// The format of errors and warnings.
enum class DiagnosticsFormat : std::uint8_t { text, json, github, sarif };
/// Their names, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> kDiagnosticsFormats{"text", "json", "github", "sarif"};

struct Arguments {
  Command command = Command::convert;
  std::vector<std::string> models;  ///< "-": standard input
  std::string output_model;
  Options options;
  SaveOptions saving;
  bool only_checks = false;  ///< nothing is written
  unsigned jobs = 1;
  std::string report;  ///< file of the report; "-": standard output
  std::string html;    ///< file of the HTML page; "-": standard output
  bool verbose = false;
  bool quiet = false;
  bool has_json_output = false;  ///< of lint and diff
  bool ignores_names = false;    ///< of diff
  bool has_origins = false;      ///< of show
  DiagnosticsFormat diagnostics_format = DiagnosticsFormat::text;
  std::filesystem::path checked_files;  ///< the XML of the pair to check
  Listing listing = Listing::none;
  std::string documentation;  ///< the format of Listing::documentation
};

/// The rows of all options of the command in `arguments`. They write to `arguments`, which must outlive them.
std::vector<Option> option_table(Arguments& arguments);

}  // namespace onnx2ir::cli
