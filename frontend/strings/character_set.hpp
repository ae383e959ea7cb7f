// Sets of characters, as classes of regular expressions name them.
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
  /// That of \d, \w or \s by its letter; nothing for others.
  static std::optional<CharacterSet> shorthand(char letter);
  /// That of [:name:].
  static std::optional<CharacterSet> named(std::string_view name);

  void add(SymbolRange range) { ranges_.push_back(range); }
  void add(const CharacterSet& other) {
    ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  }
  CharacterSet complement() const;
  /// Whether letters beyond ASCII may be in it.
  bool has_letters_beyond_ascii() const;
  /// Adds what ASCII letters are in the other case; k is also that of the sign of Kelvin, s of the long s.
  void add_other_case();

  /// In order, apart from each other.
  std::vector<SymbolRange> ranges() const;

 private:
  std::vector<SymbolRange> ranges_;
};

}  // namespace onnx2ir::frontend
