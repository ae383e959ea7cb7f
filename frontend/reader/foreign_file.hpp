// What was given in place of an ONNX model: files of other formats, by their first bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace onnx2ir::frontend {

/// Why a model cannot be read, and what the user can do.
struct ReadProblem {
  std::string text;  ///< follows "'model.onnx' cannot be read: "
  std::string hint;
};

/// Why a file whose first bytes are `start` is no ONNX model, if it has a format that users confuse with
/// ONNX; no value for all other formats. Call it only after the file could not be read as a model: some of
/// these formats begin as ONNX does.
std::optional<ReadProblem> recognize_foreign_file(const std::filesystem::path& path, std::string_view start);

/// Whether no ONNX model begins with these bytes, so that the file is to be recognised before it is read.
bool begins_like_no_model(std::string_view start);

/// Why a path that is a folder or does not exist cannot be read as a model: `problem` unless there is more to
/// say.
ReadProblem explain_path(const std::filesystem::path& path, std::string problem);

}  // namespace onnx2ir::frontend
