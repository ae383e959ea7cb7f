#include "ir/text/letters.hpp"

#include <fmt/core.h>

#include <cstdint>

namespace onnx2ir::ir {
namespace {

/// The number of bytes of the first UTF-8 letter in `text`; 0 if it is not valid UTF-8.
std::size_t letter_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80        ? 1
                           : first >> 5U == 6  ? 2
                           : first >> 4U == 14 ? 3
                           : first >> 3U == 30 ? 4
                                               : 0;
  if (size == 0 || size > text.size()) return 0;
  std::uint32_t code = size == 1 ? first : first & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if (byte(i) >> 6U != 2) return 0;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < kMin[size] || code > 0x10ffff || is_surrogate ? 0 : size;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const char letter = text.front();
    const std::size_t size = letter_size(text);
    if (letter == '"' || letter == '\\') {
      result += {'\\', letter};
    } else if (letter == '\n') {
      result += "\\n";
    } else if (size == 0 || static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result + '"';
}

}  // namespace onnx2ir::ir
