// The letters that need quotes or escapes in text IR.
#pragma once

#include <string>
#include <string_view>

namespace onnx2ir::ir {

constexpr bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}
/// The value of a hexadecimal digit in lower case; -1 for other letters.
constexpr int hexadecimal_digit(char letter) {
  if (is_digit(letter)) return letter - '0';
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}
/// A letter that words and unquoted names may contain.
constexpr bool is_name_letter(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         letter == '_' || letter == '.' || letter == '/' || letter == '-';
}

/// `text` in quotes. Escapes control characters, quotes, backslashes and invalid UTF-8.
std::string quoted(std::string_view text);

}  // namespace onnx2ir::ir
