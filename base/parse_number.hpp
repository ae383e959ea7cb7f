// Numbers in texts, whatever the locale is.
#pragma once

#include <charconv>
#include <optional>
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

}  // namespace onnx2ir::base
