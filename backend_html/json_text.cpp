#include "backend_html/json_text.hpp"

#include <fmt/core.h>

#include <iterator>

#include "ir/json_text.hpp"

namespace onnx2ir::backend_html {

void append_json(std::string& json, std::string_view text) {
  const std::size_t whole = text.size();
  json += '"';
  while (!text.empty()) {
    if (whole - text.size() >= kMaxTextSize) {
      fmt::format_to(std::back_inserter(json), "... ({} bytes)", whole);
      break;
    }
    const std::string_view character = ir::take_character(text);
    if (character == "<" || character == "\x7f") {
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", static_cast<unsigned>(character.front()));
    } else {
      ir::append_json_character(json, character);
    }
  }
  json += '"';
}

}  // namespace onnx2ir::backend_html
