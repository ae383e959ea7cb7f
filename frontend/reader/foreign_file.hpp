// Recognises files of other formats by their first bytes, for error messages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace onnx2ir::frontend {

/// The reason why a model cannot be read, and a hint for the user.
struct ReadProblem {
  std::string text;  ///< follows "'model.onnx' cannot be read: "
  std::string hint;
};

/// The error for a file that begins with `start` and has a format that users confuse with ONNX; no value for
/// all other formats. Call it only after reading the file as a model has failed, because some of these
/// formats begin like ONNX.
std::optional<ReadProblem> recognize_foreign_file(const std::filesystem::path& path, std::string_view start);

/// Whether no ONNX model can begin with these bytes, so that the file can be recognised before it is read.
bool cannot_be_model(std::string_view start);

/// The error for a path that is a folder or does not exist: `problem`, or a more specific reason.
ReadProblem explain_path(const std::filesystem::path& path, std::string problem);

}  // namespace onnx2ir::frontend
