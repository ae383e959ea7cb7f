// Explains a word: a code of an error, a fault, an operator, an option, a pass, or the topic of a document.
// Lists the words that can be explained.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir::cli {

/// Prints what the words mean, or without words what can be explained; returns the exit code.
int explain(const std::vector<std::string>& words);

/// `text` with commands of the tool instead of paths of documents, which its user may not have.
std::string with_commands(std::string text);

/// A document that is part of the tool.
struct ManualTopic {
  std::string_view name;  ///< "extensions", of docs/extensions.md
  std::string_view text;  ///< Markdown
};
/// In a generated source: cmake/manual.cmake lists them.
std::span<const ManualTopic> manual_topics();

// The texts of --list-ops, --list-passes and so on: one line for each operator, pass, fault, code of a
// diagnostic.
std::string operator_list();
std::string pass_list();
std::string fault_list();
std::string diagnostic_list();

}  // namespace onnx2ir::cli
