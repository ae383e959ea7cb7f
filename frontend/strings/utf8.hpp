// Characters in UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace onnx2ir::frontend {

/// Removes the first character of `text`; no value if it is malformed or `text` is empty.
std::optional<std::uint32_t> take_code_point(std::string_view& text);

/// Appends a character to `text`.
void append_code_point(std::string& text, std::uint32_t code);

}  // namespace onnx2ir::frontend
