// Reads models in ONNX's text form.
#pragma once

#include <filesystem>
#include <onnx2ir/result.hpp>
#include <string>
#include <string_view>

namespace onnx2ir::frontend {

/// Whether a file is a model in text form, according to its extension (.onnxtxt or .txt) or its first bytes
/// `start`.
bool is_text_model(const std::filesystem::path& path, std::string_view start);

/// The serialized ModelProto of `text`, or the problem (unreadable_model) why it cannot be parsed.
Result<std::string> serialize_text_model(std::string_view text);

}  // namespace onnx2ir::frontend
