// Explains a word: a code of an error, a fault, an operator, an option, a pass, or the topic of a document.
#pragma once

#include <onnx2ir/onnx2ir.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir::cli {

/// Prints what the words mean, or without words what can be explained; returns the exit code.
int explain(const std::vector<std::string>& words);

/// `text` with commands of the tool instead of paths of documents, which its user may not have.
std::string with_commands(std::string text);

std::string versions_of(const OperatorInfo& row, std::string_view separator);

}  // namespace onnx2ir::cli
