// Upper and lower case of single letters, as Unicode maps them (UnicodeData.txt 15.0, simple mappings), which
// is what C libraries do in locales of English.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir::frontend {

enum class LetterCase : std::uint8_t { lower, upper };

/// What to add to a code point, by pages of 256 of which most are alike:
/// distances[256 * pages[code >> 8] + (code & 255)].
struct CaseTable {
  std::vector<std::int64_t> pages;
  std::vector<std::int64_t> distances;
};
CaseTable case_table(LetterCase to);

/// `text` (UTF-8) with each letter in that case; nothing when it is malformed.
std::optional<std::string> in_case(std::string_view text, LetterCase to);

}  // namespace onnx2ir::frontend
