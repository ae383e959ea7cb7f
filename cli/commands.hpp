// The commands of the tool.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir::cli {

/// The first word of the command line: what to do with the models.
enum class Command : std::uint8_t { convert, show, diff, stats, verify, lint, legalize, explain, help };

/// Standard input in place of a model, standard output in place of a file.
inline constexpr std::string_view kStandardStream = "-";

struct CommandInfo {
  Command command = Command::convert;
  std::string_view name;
  std::string_view words;  ///< "MODEL..."
  std::size_t models = 0;  ///< how many it takes; 0: one or more
  std::string_view summary;
};

inline constexpr std::array<CommandInfo, 9> kCommands{{
    {Command::convert, "convert", "MODEL...", 0, "convert the models; the word convert may be left out"},
    {Command::show, "show", "MODEL", 1,
     "print the IR of a model as text, with a hash for each large constant, or with --html as a page; MODEL "
     "can also be an IR, FILE.xml, or text IR, FILE.ir"},
    {Command::diff, "diff", "OLD NEW", 2,
     "list the differences between two models or IRs: names, types, attributes, weights, connections; exit "
     "code 0 if they are equal, 1 if they differ, 2 if one cannot be read"},
    {Command::stats, "stats", "MODEL", 1,
     "count the operators, parameters, bytes of weights and multiplications of a model or an IR, before and "
     "after the conversion, and the memory of its activations; sizes of dynamic dimensions are given with "
     "--dim or "
     "--input"},
    {Command::verify, "verify", "MODEL [IR.xml]", 0,
     "run the model in onnxruntime and its IR in OpenVINO, and compare the outputs; verify --help lists its "
     "own options; needs the Python packages numpy, onnx, onnxruntime and openvino"},
    {Command::lint, "lint", "IR.xml", 1,
     "list the layers of an IR, also of OpenVINO, that releases of the target compute wrongly, with the "
     "faults; exit code 0 if there are none, 1 if there are, 2 if the IR cannot be read"},
    {Command::legalize, "legalize", "IR.xml", 1,
     "work around these faults, and write the IR to the file or folder that -o names"},
    {Command::explain, "explain", "WORD...", 0,
     "explain the code of an error, a fault of OpenVINO, an operator, an option or a pass, or print the "
     "document about a topic; without words: list the topics"},
    {Command::help, "help", "[COMMAND]", 0, "print the options of all commands, or those of one"},
}};

inline const CommandInfo& info_of(Command command) {
  return *std::ranges::find(kCommands, command, &CommandInfo::command);
}

inline std::vector<std::string> command_names() {
  std::vector<std::string> names;
  names.reserve(kCommands.size());
  for (const CommandInfo& command : kCommands) names.emplace_back(command.name);
  return names;
}

/// The exit codes.
inline constexpr int kDone = 0;
inline constexpr int kModelError = 1;
inline constexpr int kDifferent = 1;  ///< of diff
inline constexpr int kAffected = 1;   ///< of lint
inline constexpr int kUsage = 2;
inline constexpr int kInternal = 3;

/// The commands that take an option.
using CommandSet = std::set<Command>;

}  // namespace onnx2ir::cli
