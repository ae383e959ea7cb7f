// Formats the options as help text, manual page, shell completions, and a table for the documents.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"

namespace onnx2ir::cli {

/// The text of --help.
std::string help_text(std::span<const Option> options);
/// The help of one command, whose options are `options`.
std::string command_help(const CommandInfo& command, std::span<const Option> options);

/// The formats that document() supports: "man", "bash", "zsh", "fish", "markdown".
std::vector<std::string> documentation_forms();
std::string documentation(std::string_view form, std::span<const Option> options);

}  // namespace onnx2ir::cli
