#include "backend_xml/xml_text.hpp"

#include <algorithm>
#include <array>

namespace onnx2ir::backend_xml {
namespace {

std::string_view escape_of(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\t':
      return "&#9;";
    case '\n':
      return "&#10;";
    case '\r':
      return "&#13;";
    default:
      return " ";
  }
}

/// Characters that must be escaped in attribute values.
constexpr auto kSpecial = [] {
  std::array<bool, 256> special{};
  for (std::size_t control = 0; control < 0x20; ++control) special[control] = true;
  for (const unsigned char letter : {'&', '<', '>', '"'}) special[letter] = true;
  return special;
}();

}  // namespace

void XmlText::write_escaped(std::string_view text) {
  const auto is_special = [](char letter) { return kSpecial[static_cast<unsigned char>(letter)]; };
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
