#include "frontend/strings/letter_case.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

#include "frontend/strings/letter_case_ranges.hpp"
#include "frontend/strings/utf8.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr std::uint32_t kPageSize = 256;
constexpr std::uint32_t kPageCount = (0x10FFFF + 1) / kPageSize;

std::vector<CaseRange> sorted_ranges(LetterCase to) {
  std::vector<CaseRange> ranges;
  if (to == LetterCase::lower) {
    ranges.assign(std::begin(kOnlyToLower), std::end(kOnlyToLower));
    ranges.insert(ranges.end(), std::begin(kCapitals), std::end(kCapitals));
  } else {
    ranges.assign(std::begin(kOnlyToUpper), std::end(kOnlyToUpper));
    for (const auto& [first, last, step, distance] : kCapitals) {
      const auto offset = static_cast<std::uint32_t>(distance);
      ranges.push_back({first + offset, last + offset, step, -distance});
    }
  }
  std::ranges::sort(ranges, {}, &CaseRange::first);
  return ranges;
}

std::span<const CaseRange> ranges_to(LetterCase to) {
  static const std::vector<CaseRange> lower = sorted_ranges(LetterCase::lower);
  static const std::vector<CaseRange> upper = sorted_ranges(LetterCase::upper);
  return to == LetterCase::lower ? lower : upper;
}

std::int64_t distance_of(std::span<const CaseRange> ranges, std::uint32_t code) {
  const auto after = std::ranges::upper_bound(ranges, code, {}, &CaseRange::first);
  // Two runs of every second letter may overlap.
  for (auto range = after; range != ranges.begin() && after - range < 2;) {
    --range;
    if (code <= range->last && (code - range->first) % range->step == 0) return range->distance;
  }
  return 0;
}

}  // namespace

CaseTable case_table(LetterCase to) {
  const auto ranges = ranges_to(to);
  // Most pages contain no letters with case; only the others are computed.
  std::vector<bool> has_letters(kPageCount);
  for (const CaseRange& range : ranges) {
    for (std::uint32_t page = range.first / kPageSize; page <= range.last / kPageSize; ++page)
      has_letters[page] = true;
  }
  CaseTable table;
  std::map<std::vector<std::int64_t>, std::int64_t> known;
  std::optional<std::int64_t> page_of_zeros;
  for (std::uint32_t page = 0; page < kPageCount; ++page) {
    if (!has_letters[page] && page_of_zeros) {
      table.pages.push_back(*page_of_zeros);
      continue;
    }
    std::vector<std::int64_t> distances;
    for (std::uint32_t i = 0; i < kPageSize; ++i)
      distances.push_back(distance_of(ranges, page * kPageSize + i));
    const auto [entry, is_new] = known.try_emplace(distances, static_cast<std::int64_t>(known.size()));
    if (is_new) table.distances.insert(table.distances.end(), distances.begin(), distances.end());
    table.pages.push_back(entry->second);
    if (!has_letters[page]) page_of_zeros = entry->second;
  }
  return table;
}

std::optional<std::string> in_case(std::string_view text, LetterCase to) {
  std::string result;
  while (!text.empty()) {
    const auto code = take_code_point(text);
    if (!code) return std::nullopt;
    append_code_point(result, static_cast<std::uint32_t>(*code + distance_of(ranges_to(to), *code)));
  }
  return result;
}

}  // namespace onnx2ir::frontend
