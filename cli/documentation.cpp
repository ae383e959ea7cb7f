#include "cli/documentation.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <onnx2ir/onnx2ir.hpp>

namespace onnx2ir::cli {
namespace {

constexpr std::array<std::string_view, 8> kGroups{"Model",    "Operators", "IR",          "Run",
                                                  "Messages", "Limits",    "Information", "Compiler"};
constexpr std::string_view kPurpose = "converts ONNX models to OpenVINO IR";
constexpr std::string_view kModels =
    "models as ONNX protobuf, with or without external data, or as ONNX text; - is standard input";

/// The column of summaries in the help, and its width.
constexpr std::size_t kIndent = 30;
constexpr std::size_t kWidth = 100;

/// The options of a group, in the table's order.
std::vector<const Option*> in_group(std::span<const Option> options, std::string_view group) {
  std::vector<const Option*> found;
  for (const Option& option : options) {
    if (option.group == group) found.push_back(&option);
  }
  return found;
}

/// "-o, --output-model PATH"
std::string usage_of(const Option& option) {
  std::string text;
  if (option.letter != 0) text = std::string("-") + option.letter + ", ";
  text += "--" + option.name;
  if (!option.is_flag()) text += ' ' + option.value_name;
  return text;
}

/// Appends `text`, wrapped at `width`; continuation lines are indented by `indent`.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent, std::size_t width) {
  std::size_t column = indent;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (column != indent && column + 1 + end > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column != indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

/// "onnx2ir diff OLD NEW [options]"
std::string usage_of(const CommandInfo& command) {
  const bool is_optional = command.command == Command::convert;
  return fmt::format("onnx2ir {} {} [options]", is_optional ? "[convert]" : command.name, command.words);
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

/// Escapes backslashes, hyphens, and a dot or apostrophe at the start of a line, which are special in troff.
std::string troff(const std::string& text) {
  return replaced(replaced(text, "\\", "\\\\"), "-", "\\-");
}

std::string manual_page(std::span<const Option> options) {
  std::string page = ".TH ONNX2IR 1 \"\" \"onnx2ir " + std::string(version()) + "\"\n.SH NAME\nonnx2ir \\- " +
                     std::string(kPurpose) + "\n.SH SYNOPSIS\n";
  for (const CommandInfo& command : kCommands) page += ".B " + troff(usage_of(command)) + "\n.br\n";
  page += ".SH DESCRIPTION\nMODEL: " + troff(std::string(kModels)) +
          ".\nThe IR is an XML file and, beside it, a .bin file of weights.\n" +
          "Underscores may stand for the hyphens in names of options.\n.SH COMMANDS\n";
  for (const CommandInfo& command : kCommands)
    page += ".TP\n.B " + troff(usage_of(command)) + '\n' + troff(std::string(command.summary)) + ".\n";
  page += ".SH OPTIONS\n";
  for (const std::string_view group : kGroups) {
    page += ".SS " + std::string(group) + '\n';
    for (const Option* option : in_group(options, group)) {
      page += ".TP\n.B " + troff(usage_of(*option)) + '\n' + troff(documented_summary(*option)) + ".\n";
    }
  }
  page +=
      ".SH EXIT STATUS\n0 done, 1 the model cannot be converted or the files cannot be written, 2 wrong "
      "usage, 3 a fault of onnx2ir.\n";
  return page;
}

/// The names of the commands that have an option: "lint, diff".
std::string commands_of(const Option& option, std::string_view separator) {
  std::vector<std::string_view> names;
  for (const CommandInfo& command : kCommands) {
    if (option.commands.contains(command.command)) names.push_back(command.name);
  }
  return fmt::format("{}", fmt::join(names, separator));
}

/// The names of the options of a command: "--help --version".
std::string option_names(std::span<const Option> options, Command command) {
  std::string names;
  for (const Option& option : options) {
    if (!option.group.empty() && option.commands.contains(command))
      names += (names.empty() ? "--" : " --") + option.name;
  }
  return names;
}

std::string joined_choices(const Option& option) {
  return fmt::format("{}", fmt::join(option.choices, " "));
}

std::string bash_completion(std::span<const Option> options) {
  std::string cases;
  std::string with_files;
  for (const Option& option : options) {
    if (option.group.empty() || option.is_flag()) continue;
    if (option.choices.empty()) {
      with_files += (with_files.empty() ? "--" : " | --") + option.name;
    } else {
      cases += "    --" + option.name + ") COMPREPLY=($(compgen -W \"" + joined_choices(option) +
               "\" -- \"$word\")); return ;;\n";
    }
  }
  std::string of_commands;
  for (const CommandInfo& command : kCommands)
    of_commands +=
        fmt::format("    {}) options=\"{}\" ;;\n", command.name, option_names(options, command.command));
  of_commands += "    *) options=\"" + option_names(options, Command::convert) + "\" ;;\n";
  return "# Completion of onnx2ir for bash.\n_onnx2ir() {\n  local word=${COMP_WORDS[COMP_CWORD]} options\n"
         "  case ${COMP_WORDS[COMP_CWORD-1]} in\n" +
         cases + "    " + with_files +
         " | -o) compopt -o default; COMPREPLY=(); return ;;\n  esac\n"
         "  case ${COMP_WORDS[1]} in\n" +
         of_commands +
         "  esac\n  if [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  elif [[ $COMP_CWORD == 1 ]]; then\n    compopt -o default\n    COMPREPLY=($(compgen -W \"" +
         fmt::format("{}", fmt::join(command_names(), " ")) +
         "\" -- \"$word\"; compgen -f -- \"$word\"))\n  else\n    compopt -o default\n    COMPREPLY=()\n  "
         "fi\n}\n"
         "complete -F _onnx2ir onnx2ir\n";
}

/// Escapes text for single quotes in zsh and fish.
std::string shell_quoted(const std::string& text) {
  return replaced(text, "'", "'\\''");
}

std::string zsh_completion(std::span<const Option> options) {
  std::string text = "#compdef onnx2ir\n_arguments -s \\\n";
  for (const Option& option : options) {
    if (option.group.empty()) continue;
    std::string summary = shell_quoted(documented_summary(option));
    for (const std::string_view special : {"[", "]", ":"})
      summary = replaced(summary, special, "\\" + std::string(special));
    text += "  '--" + option.name + (option.is_flag() ? "" : "=") + '[' + summary + ']';
    if (!option.is_flag()) {
      const std::string words = joined_choices(option);
      text += ':' + option.value_name + ':' + (words.empty() ? "_files" : "(" + words + ')');
    }
    text += "' \\\n";
  }
  return text + fmt::format("  '1: :{{compadd {}; _files}}' \\\n  '*:MODEL:_files'\n",
                            fmt::join(command_names(), " "));
}

/// The condition under which fish offers an option that conversions do not have.
std::string fish_condition(const Option& option) {
  if (option.commands.contains(Command::convert)) return {};
  return " -n '__fish_seen_subcommand_from " + commands_of(option, " ") + '\'';
}

std::string fish_completion(std::span<const Option> options) {
  std::string text = "# Completion of onnx2ir for fish.\n";
  for (const CommandInfo& command : kCommands)
    text += "complete -c onnx2ir -n __fish_use_subcommand -a " + std::string(command.name) + " -d '" +
            replaced(std::string(command.summary), "'", "\\'") + "'\n";
  for (const Option& option : options) {
    if (option.group.empty()) continue;
    text += "complete -c onnx2ir" + fish_condition(option) + " -l " + option.name;
    if (option.letter != 0) text += std::string(" -s ") + option.letter;
    if (!option.is_flag()) text += " -r";
    const std::string words = joined_choices(option);
    if (!words.empty()) text += " -f -a '" + words + '\'';
    text += " -d '" + replaced(replaced(option.summary, "\\", "\\\\"), "'", "\\'") + "'\n";
  }
  return text;
}

std::string markdown_table(std::span<const Option> options) {
  std::string text = "### Commands\n\n| command | meaning |\n|---|---|\n";
  for (const CommandInfo& command : kCommands)
    text += "| `" + usage_of(command) + "` | " + std::string(command.summary) + " |\n";
  text += '\n';
  for (const std::string_view group : kGroups) {
    text += "### " + std::string(group) + "\n\n| option | meaning |\n|---|---|\n";
    for (const Option* option : in_group(options, group))
      text += "| `" + replaced(usage_of(*option), "|", "\\|") + "` | " +
              replaced(documented_summary(*option), "|", "\\|") + " |\n";
    text += '\n';
  }
  text.pop_back();
  return text;
}

using Summary = std::string (*)(const Option& option);
std::string plain_summary(const Option& option) {
  return option.summary;
}

/// The options by groups, with their summaries in a column.
void append_options(std::string& text, std::span<const Option> options, Summary summary_of) {
  for (const std::string_view group : kGroups) {
    const std::vector<const Option*> found = in_group(options, group);
    if (found.empty()) continue;
    text += '\n' + std::string(group) + ":\n";
    for (const Option* option : found) {
      std::string line = "  " + usage_of(*option);
      line += line.size() + 2 > kIndent ? '\n' + std::string(kIndent, ' ')
                                        : std::string(kIndent - line.size(), ' ');
      text += line;
      append_wrapped(text, summary_of(*option), kIndent, kWidth);
    }
  }
}

}  // namespace

std::string documented_summary(const Option& option) {
  const bool is_of_conversions = option.commands.contains(Command::convert);
  return (is_of_conversions ? std::string() : commands_of(option, ", ") + ": ") + option.summary;
}

std::string option_help(std::span<const Option> options) {
  std::string text;
  append_options(text, options, plain_summary);
  return text;
}

std::string help_text(std::span<const Option> options) {
  std::string text = "onnx2ir " + std::string(version()) + ": " + std::string(kPurpose) + "\n\n";
  for (const CommandInfo& command : kCommands) {
    text += (&command == kCommands.data() ? "usage: " : "       ") + usage_of(command) + '\n' +
            std::string(kIndent, ' ');
    append_wrapped(text, command.summary, kIndent, kWidth);
  }
  text += '\n';
  text += "MODEL: " + std::string(kModels) + "\n";
  append_options(text, options, documented_summary);
  return text +
         "\nUnderscores may stand for the hyphens in names of options, and flags may have a value "
         "(--compress_to_fp16=False).\n";
}

std::string command_help(const CommandInfo& command, std::span<const Option> options) {
  std::string text = "usage: onnx2ir " + std::string(command.name) + ' ' + std::string(command.words);
  text += options.empty() ? "\n\n" : " [options]\n\n";
  append_wrapped(text, command.summary, 0, kWidth);
  return text + option_help(options);
}

std::string documentation(std::size_t form, std::span<const Option> options) {
  constexpr std::array kWriters{manual_page, bash_completion, zsh_completion, fish_completion,
                                markdown_table};
  static_assert(kWriters.size() == kDocumentationForms.size());
  return kWriters.at(form)(options);
}

}  // namespace onnx2ir::cli
