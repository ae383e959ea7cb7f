// Strings in JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onnx2ir::ir {

/// Removes the first character of `text`, which is not empty, and returns it; U+FFFD for a byte that is not
/// UTF-8. Names in models need not be UTF-8, JSON must be.
std::string_view take_character(std::string_view& text);

/// Appends a character to a JSON string, escaped where JSON requires it.
void append_json_character(std::string& json, std::string_view character);

/// Appends `text` as a JSON string, quotes included.
void append_json_string(std::string& json, std::string_view text);

}  // namespace onnx2ir::ir
