// Models in ONNX's text form.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace onnx2ir::frontend {

/// Whether a file is a model in text form: by the extensions .onnxtxt and .txt, otherwise by `start`, its
/// first bytes.
bool is_text_model(const std::filesystem::path& path, std::string_view start);

/// The serialized ModelProto of `text`; nothing, and the reason in `problem`, when it cannot be parsed.
std::optional<std::string> serialize_text_model(std::string_view text, std::string& problem);

}  // namespace onnx2ir::frontend
