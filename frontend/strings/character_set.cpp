#include "frontend/strings/character_set.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace onnx2ir::frontend {
namespace {

constexpr std::uint32_t kKelvin = 0x212A;
constexpr std::uint32_t kLongS = 0x17F;

/// The part of `range` in `of`, shifted by `distance`; no value if it is empty.
std::optional<SymbolRange> moved_part(SymbolRange range, SymbolRange of, int distance) {
  const SymbolRange common{std::max(range.first, of.first), std::min(range.last, of.last)};
  if (common.first > common.last) return std::nullopt;
  const auto moved = [&](std::uint32_t code) {
    return static_cast<std::uint32_t>(static_cast<int>(code) + distance);
  };
  return SymbolRange{moved(common.first), moved(common.last)};
}

}  // namespace

std::optional<CharacterSet> CharacterSet::shorthand(char letter) {
  switch (letter) {
    case 'd':
      return named("digit");
    case 'w':
      return named("word");
    case 's':
      return CharacterSet{{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    default:
      return std::nullopt;
  }
}

std::optional<CharacterSet> CharacterSet::named(std::string_view name) {
  constexpr SymbolRange kDigits{'0', '9'};
  constexpr SymbolRange kUpper{'A', 'Z'};
  constexpr SymbolRange kLower{'a', 'z'};
  const std::array<std::pair<std::string_view, CharacterSet>, 14> sets{{
      {"alnum", {kDigits, kUpper, kLower}},
      {"alpha", {kUpper, kLower}},
      {"ascii", {{0, 0x7F}}},
      {"blank", {{'\t', '\t'}, {' ', ' '}}},
      {"cntrl", {{0, 0x1F}, {0x7F, 0x7F}}},
      {"digit", {kDigits}},
      {"graph", {{'!', '~'}}},
      {"lower", {kLower}},
      {"print", {{' ', '~'}}},
      {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
      {"space", {{'\t', '\r'}, {' ', ' '}}},
      {"upper", {kUpper}},
      {"word", {kDigits, kUpper, {'_', '_'}, kLower}},
      {"xdigit", {kDigits, {'A', 'F'}, {'a', 'f'}}},
  }};
  const auto* const found = std::ranges::find(sets, name, [](const auto& set) { return set.first; });
  if (found == sets.end()) return std::nullopt;
  return found->second;
}

CharacterSet CharacterSet::complement() const {
  CharacterSet result;
  std::uint32_t next = 0;
  for (const SymbolRange& range : ranges()) {
    if (range.first > next) result.add({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastCodePoint) result.add({next, kLastCodePoint});
  return result;
}

bool CharacterSet::has_letters_beyond_ascii() const {
  return std::ranges::any_of(ranges_, [](const SymbolRange& range) { return range.last >= 0x80; });
}

void CharacterSet::add_other_letter_case() {
  constexpr int kDistance = 'a' - 'A';
  const std::vector<SymbolRange> before = ranges_;
  for (const SymbolRange& range : before) {
    if (const auto lower = moved_part(range, {'A', 'Z'}, kDistance)) add(*lower);
    if (const auto upper = moved_part(range, {'a', 'z'}, -kDistance)) add(*upper);
    for (const auto& [letter, other] :
         {std::pair<std::uint32_t, std::uint32_t>{'k', kKelvin}, {'s', kLongS}}) {
      const auto holds = [&](std::uint32_t code) { return range.first <= code && code <= range.last; };
      if (holds(letter) || holds(letter - kDistance)) add({other, other});
    }
  }
}

std::vector<SymbolRange> CharacterSet::ranges() const {
  std::vector<SymbolRange> sorted = ranges_;
  std::ranges::sort(sorted, {}, &SymbolRange::first);
  std::vector<SymbolRange> result;
  for (const SymbolRange& range : sorted) {
    if (!result.empty() && range.first <= result.back().last + 1) {
      result.back().last = std::max(result.back().last, range.last);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

}  // namespace onnx2ir::frontend
