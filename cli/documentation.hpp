// The options as text: the help, the manual page, completions of shells, a table for the documents.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"

namespace onnx2ir::cli {

/// What --help prints.
std::string help_text(std::span<const Option> options);

/// The forms that document() knows: "man", "bash", "zsh", "fish", "markdown".
std::vector<std::string> documentation_forms();
std::string documentation(std::string_view form, std::span<const Option> options);

}  // namespace onnx2ir::cli
