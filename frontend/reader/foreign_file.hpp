// Recognises files of other formats by their first bytes, for error messages.
#pragma once

#include <filesystem>
#include <onnx2ir/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace onnx2ir::frontend {

/// The problem (unreadable_model) of a model that cannot be read; the message follows "'model.onnx' cannot be
/// read: ".
inline Problem unreadable_model(std::string message, std::string hint = {}) {
  return {DiagnosticCode::unreadable_model, std::move(message), std::move(hint)};
}

/// The error for a file that begins with `start` and has a format that users confuse with ONNX; no value for
/// all other formats. Call it only after reading the file as a model has failed, because some of these
/// formats begin like ONNX.
std::optional<Problem> recognize_foreign_file(const std::filesystem::path& path, std::string_view start);

/// The error for a path that is a folder or does not exist: `problem`, or a more specific reason.
Problem explain_path(const std::filesystem::path& path, std::string problem);

}  // namespace onnx2ir::frontend
