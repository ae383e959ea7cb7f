#include "frontend/strings/letter_case.hpp"

#include <algorithm>
#include <map>

#include "frontend/strings/letter_case_ranges.hpp"
#include "frontend/strings/utf8.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr std::uint32_t kPageSize = 256;
constexpr std::uint32_t kPageCount = (0x10FFFF + 1) / kPageSize;

CaseTable make_table(LetterCase to) {
  std::map<std::uint32_t, std::vector<std::int64_t>> pages;  // those that contain letters with case
  const auto add = [&](const CaseRange& range) {
    for (std::uint32_t code = range.first; code <= range.last; code += range.step)
      pages.try_emplace(code / kPageSize, kPageSize).first->second[code % kPageSize] = range.distance;
  };
  if (to == LetterCase::lower) {
    std::ranges::for_each(kOnlyToLower, add);
    std::ranges::for_each(kCapitals, add);
  } else {
    std::ranges::for_each(kOnlyToUpper, add);
    for (const auto& [first, last, step, distance] : kCapitals) {
      const auto offset = static_cast<std::uint32_t>(distance);
      add({first + offset, last + offset, step, -distance});
    }
  }
  CaseTable table;
  std::map<std::vector<std::int64_t>, std::int64_t> numbers;
  const auto number_of = [&](const std::vector<std::int64_t>& distances) {
    const auto [entry, is_new] = numbers.try_emplace(distances, static_cast<std::int64_t>(numbers.size()));
    if (is_new) table.distances.insert(table.distances.end(), distances.begin(), distances.end());
    return entry->second;
  };
  std::optional<std::int64_t> without_letters;
  for (std::uint32_t page = 0; page < kPageCount; ++page) {
    const auto letters = pages.find(page);
    if (letters == pages.end() && !without_letters)
      without_letters = number_of(std::vector<std::int64_t>(kPageSize));
    table.pages.push_back(letters == pages.end() ? *without_letters : number_of(letters->second));
  }
  return table;
}

}  // namespace

const CaseTable& case_table(LetterCase to) {
  static const CaseTable lower = make_table(LetterCase::lower);
  static const CaseTable upper = make_table(LetterCase::upper);
  return to == LetterCase::lower ? lower : upper;
}

std::optional<std::string> in_case(std::string_view text, LetterCase to) {
  const CaseTable& table = case_table(to);
  std::string result;
  while (!text.empty()) {
    const auto code = take_code_point(text);
    if (!code) return std::nullopt;
    const auto page = static_cast<std::uint32_t>(table.pages[*code / kPageSize]);
    const std::int64_t distance = table.distances[page * kPageSize + *code % kPageSize];
    append_code_point(result, static_cast<std::uint32_t>(*code + distance));
  }
  return result;
}

}  // namespace onnx2ir::frontend
