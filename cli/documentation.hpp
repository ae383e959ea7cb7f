// Formats the options as help text, manual page, shell completions, and a table for the documents.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/command_line.hpp"

namespace onnx2ir::cli {

/// The summary of an option for lists of the options of all commands: "diff: ..." for an option that
/// conversions do not have.
std::string documented_summary(const Option& option);

/// The options by groups, with their summaries in a column.
std::string option_help(std::span<const Option> options);
/// The text of --help, for the options of all commands.
std::string help_text(std::span<const Option> options);
/// The help of one command, whose options are `options`.
std::string command_help(const CommandInfo& command, std::span<const Option> options);

/// The formats that documentation() supports.
inline constexpr std::array<std::string_view, 5> kDocumentationForms{"man", "bash", "zsh", "fish",
                                                                     "markdown"};
/// `form`: an index in kDocumentationForms. `options` are those of all commands.
std::string documentation(std::size_t form, std::span<const Option> options);

}  // namespace onnx2ir::cli
