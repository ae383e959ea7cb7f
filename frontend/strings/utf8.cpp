#include "frontend/strings/utf8.hpp"

#include <array>
#include <cstddef>

namespace onnx2ir::frontend {

std::optional<std::uint32_t> take_code_point(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const auto byte = [&](std::size_t index) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[index]));
  };
  const std::uint32_t lead = byte(0);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const bool is_lead = lead < 0x80 || (lead >= 0xC2 && lead <= 0xF4);
  if (!is_lead || text.size() < size) return std::nullopt;
  std::uint32_t code = size == 1 ? lead : lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<std::uint32_t, 4> kMin{0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kMin[size - 1] || code > 0x10FFFF || is_surrogate) return std::nullopt;
  text.remove_prefix(size);
  return code;
}

void append_code_point(std::string& text, std::uint32_t code) {
  const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<std::uint32_t, 4> kLeads{0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLeads[static_cast<std::size_t>(more)] | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
}

}  // namespace onnx2ir::frontend
