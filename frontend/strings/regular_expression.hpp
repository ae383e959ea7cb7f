// Regular expressions in the syntax of RE2, restricted to matches of whole texts:
// https://github.com/google/re2/wiki/Syntax
#pragma once

#include <cstdint>
#include <onnx2ir/result.hpp>
#include <string_view>
#include <variant>
#include <vector>

namespace onnx2ir::frontend {

/// Code points, or bytes, from `first` to `last`.
struct SymbolRange {
  std::uint32_t first;
  std::uint32_t last;
};

inline constexpr std::uint32_t kLastCodePoint = 0x10FFFF;

struct Expression;

/// One character of a set; the ranges are sorted and disjoint.
struct OneCharacter {
  std::vector<SymbolRange> of;
};
/// Any single byte.
struct OneByte {};
/// All parts, one after the other. Without parts: the empty text.
struct Concatenation {
  std::vector<Expression> parts;
};
/// One of the parts.
struct Alternation {
  std::vector<Expression> parts;
};
inline constexpr int kUnbounded = -1;
/// `part.front()` from `least` to `most` times.
struct Repetition {
  std::vector<Expression> part;
  int least = 0;
  int most = kUnbounded;
};
/// Whether a byte is a part of a word: an ASCII letter, a digit or '_'.
constexpr bool is_in_word(std::uint32_t byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         (byte >= 'a' && byte <= 'z');
}
/// A condition on the position between two bytes.
enum class Assertion : std::uint8_t {
  text_begins,
  text_ends,
  line_begins,
  line_ends,
  word_border,
  no_word_border
};

struct Expression {
  std::variant<OneCharacter, OneByte, Concatenation, Alternation, Repetition, Assertion> what;
};

/// Parses a pattern (UTF-8). A problem (cannot_convert) says why it cannot be used.
Result<Expression> parse_regular_expression(std::string_view pattern);

}  // namespace onnx2ir::frontend
