// Sets of characters for classes in regular expressions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "frontend/strings/regular_expression.hpp"

namespace onnx2ir::frontend {

class CharacterSet {
 public:
  CharacterSet() = default;
  CharacterSet(std::initializer_list<SymbolRange> ranges) : ranges_(ranges) {}

  static CharacterSet all() { return {{0, kLastCodePoint}}; }
  static CharacterSet no_newline() { return {{0, '\n' - 1}, {'\n' + 1, kLastCodePoint}}; }
  /// The set of \d, \w or \s, by its letter; no value for other letters.
  static std::optional<CharacterSet> shorthand(char letter);
  /// The set of [:name:]; no value if there is no such class.
  static std::optional<CharacterSet> named(std::string_view name);

  void add(SymbolRange range) { ranges_.push_back(range); }
  void add(const CharacterSet& other) {
    ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  }
  CharacterSet complement() const;
  /// Whether it may contain letters beyond ASCII.
  bool has_letters_beyond_ascii() const;
  /// Adds the other case of ASCII letters. k also matches the Kelvin sign, and s the long s.
  void add_other_letter_case();

  /// Sorted and disjoint.
  std::vector<SymbolRange> ranges() const;

 private:
  std::vector<SymbolRange> ranges_;
};

}  // namespace onnx2ir::frontend
