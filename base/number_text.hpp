// Numbers in texts and as texts, whatever the locale is.
#pragma once

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace onnx2ir::base {

/// The number that is the whole of `text`; no value if `text` is anything else, or if the number does not
/// fit. `base` of integers: 10 if it is not given.
template <typename Number, typename... Base>
std::optional<Number> parse_number(std::string_view text, Base... base) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base...);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// The shortest text that is read as `number` ("0.5", "1e-05", "inf"), or that of another format of
/// std::to_chars.
template <typename Number, typename... Format>
std::string number_text(Number number, Format... format) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format...);
  return {buffer.data(), result.ptr};
}

}  // namespace onnx2ir::base
