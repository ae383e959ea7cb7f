#include "ir/json_text.hpp"

#include <fmt/core.h>

#include <iterator>

namespace onnx2ir::ir {
namespace {

/// The bytes of the first UTF-8 character (Unicode 15, table 3-7); 0 if `text` begins with invalid bytes.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  const unsigned second = byte(1);
  const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_surrogate = first == 0xED && second > 0x9F;
  const bool is_too_large = first == 0xF4 && second > 0x8F;
  return is_overlong || is_surrogate || is_too_large ? 0 : size;
}

}  // namespace

std::string_view take_character(std::string_view& text) {
  const std::size_t size = character_size(text);
  const std::string_view character = size == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, size);
  text.remove_prefix(size == 0 ? 1 : size);
  return character;
}

void append_json_character(std::string& json, std::string_view character) {
  const char letter = character.front();
  if (letter == '"' || letter == '\\') {
    json += '\\';
    json += letter;
  } else if (static_cast<unsigned char>(letter) < 0x20) {
    fmt::format_to(std::back_inserter(json), "\\u{:04x}", static_cast<unsigned>(letter));
  } else {
    json += character;
  }
}

void append_json_string(std::string& json, std::string_view text) {
  json += '"';
  while (!text.empty()) append_json_character(json, take_character(text));
  json += '"';
}

}  // namespace onnx2ir::ir
