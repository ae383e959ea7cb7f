// Lower case of ASCII letters, whatever the locale is; other bytes do not change.
#pragma once

#include <string>
#include <string_view>

namespace onnx2ir::base {

constexpr char lower_case(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) letter = lower_case(letter);
  return lower;
}

}  // namespace onnx2ir::base
