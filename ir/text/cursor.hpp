// The letters and tokens of text IR.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// An id in its spelling: "%x", "%\"a b\"", "%x~2".
struct Id {
  std::string_view spelling;
  std::size_t offset = 0;

  /// The node name in the id; empty if the id begins with an underscore.
  std::string name() const;
};

/// A position in text IR: skips blanks and comments, takes tokens, and reports what was expected.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) { skip_blanks(); }

  /// The offset of the next token.
  std::size_t offset() const { return at_; }
  bool is_at_end() const { return at_ == text_.size(); }
  /// The first letter of the next token; 0 at the end of the text.
  char peek() const { return is_at_end() ? '\0' : text_[at_]; }

  /// Takes the next token if it equals `letter` or `word`.
  bool accept(char letter);
  bool accept_word(std::string_view word);
  /// Takes the next token; throws Failure (unreadable_ir) if it differs. `context` follows "expected ')'":
  /// "after the inputs".
  void expect(char letter, std::string_view context);
  void expect_word(std::string_view word);

  /// Takes a token; throws Failure (unreadable_ir) "expected `what`" if the next token is of another kind.
  std::string_view word(std::string_view what);
  std::int64_t integer(std::string_view what);
  /// The letters of a number, of "true", "inf" or an element type.
  std::string_view scalar(std::string_view what);
  std::string string(std::string_view what);
  Id id(std::string_view what);
  /// Takes ".." or "..." if the text continues with it.
  bool accept_dots(std::size_t count);
  /// Whether the next token begins with a digit or a minus.
  bool is_at_number() const;

  /// Throws Failure (unreadable_ir): "expected `what`, found ...".
  [[noreturn]] void fail_expected(std::string_view what) const;
  /// Throws Failure (unreadable_ir) with `message` for the position `offset`.
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const;

 private:
  void skip_blanks();
  std::string_view take(std::size_t size);
  std::size_t name_size(std::size_t from) const;
  /// The offset after the string that begins at `from`.
  std::size_t end_of_string(std::size_t from) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace onnx2ir::ir
