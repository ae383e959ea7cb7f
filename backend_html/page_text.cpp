#include "backend_html/page_text.hpp"

#include <fmt/core.h>

namespace onnx2ir::backend_html {
namespace {

/// Whether a character of UTF-8 that began before goes on with this byte.
bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace

std::string page_text(std::string_view text) {
  if (text.size() <= kMaxTextSize) return std::string(text);
  constexpr std::size_t kLongestCharacter = 4;
  std::size_t end = kMaxTextSize;
  while (end < kMaxTextSize + kLongestCharacter - 1 && end < text.size() && is_continuation(text[end])) ++end;
  if (end == text.size()) return std::string(text);
  return fmt::format("{}... ({} bytes)", text.substr(0, end), text.size());
}

std::string without_markup(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<') {
      text += "\\u003c";
    } else {
      text += letter;
    }
  }
  return text;
}

}  // namespace onnx2ir::backend_html
