#include "backend_xml/xml_text.hpp"

#include <algorithm>
#include <array>

namespace onnx2ir::backend_xml {
namespace {

/// What is written for a character that an attribute value must not have; empty for others.
constexpr auto kEscapes = [] {
  std::array<std::string_view, 256> escapes{};
  for (std::size_t control = 0; control < 0x20; ++control) escapes[control] = " ";
  escapes['\t'] = "&#9;";
  escapes['\n'] = "&#10;";
  escapes['\r'] = "&#13;";
  escapes['"'] = "&quot;";
  escapes['&'] = "&amp;";
  escapes['<'] = "&lt;";
  escapes['>'] = "&gt;";
  return escapes;
}();

std::string_view escape_of(char letter) {
  return kEscapes[static_cast<unsigned char>(letter)];
}

}  // namespace

void XmlText::write_escaped(std::string_view text) {
  const auto is_special = [](char letter) { return !escape_of(letter).empty(); };
  while (!text.empty()) {
    const auto* const special = std::ranges::find_if(text, is_special);
    const auto plain = static_cast<std::size_t>(special - text.begin());
    write(text.substr(0, plain));
    if (special == text.end()) return;
    write(escape_of(*special));
    text.remove_prefix(plain + 1);
  }
}

}  // namespace onnx2ir::backend_xml
