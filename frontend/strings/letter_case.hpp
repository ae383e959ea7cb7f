// Upper and lower case of single letters by Unicode's simple mappings (UnicodeData.txt 15.0), which C
// libraries use in English locales.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir::frontend {

enum class LetterCase : std::uint8_t { lower, upper };

/// The difference to add to a code point, in pages of 256, most of which are equal: distances[256 *
/// pages[code >> 8] + (code & 255)].
struct CaseTable {
  std::vector<std::int64_t> pages;
  std::vector<std::int64_t> distances;
};
const CaseTable& case_table(LetterCase to);

/// `text` (UTF-8) with each letter in that case; no value if it is malformed.
std::optional<std::string> in_case(std::string_view text, LetterCase to);

}  // namespace onnx2ir::frontend
