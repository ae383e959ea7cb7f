// Reads models in ONNX's text form.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace onnx2ir::frontend {

/// Whether a file is a model in text form, according to its extension (.onnxtxt or .txt) or its first bytes
/// `start`.
bool is_text_model(const std::filesystem::path& path, std::string_view start);

/// The serialized ModelProto of `text`; no value, with the reason in `problem`, if it cannot be parsed.
std::optional<std::string> serialize_text_model(std::string_view text, std::string& problem);

}  // namespace onnx2ir::frontend
