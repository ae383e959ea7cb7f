// A place in text IR: skips blanks and comments, takes tokens, and says what was expected where none fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace onnx2ir::ir {

/// An id as it is spelled: "%x", "%\"a b\"", "%x~2".
struct Id {
  std::string_view spelling;
  std::size_t offset = 0;

  /// The name that the id gives to its node; empty if it begins with an underscore.
  std::string name() const;
};

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) { skip_blanks(); }

  /// Where the next token begins.
  std::size_t offset() const { return at_; }
  bool is_at_end() const { return at_ == text_.size(); }
  /// The first letter of the next token, 0 at the end.
  char peek() const { return is_at_end() ? '\0' : text_[at_]; }

  /// Takes the next token if it is `letter`, or the word `word`.
  bool accept(char letter);
  bool accept_word(std::string_view word);
  /// The same; throws TextError if it is not. `context` follows "expected ')'": "after the inputs".
  void expect(char letter, std::string_view context);
  void expect_word(std::string_view word);

  /// Takes a token. If there is none of the kind, throws TextError, which says that `what` was expected.
  std::string_view word(std::string_view what);
  std::int64_t integer(std::string_view what);
  /// Letters that a number, "true", "inf" or an element type may consist of.
  std::string_view scalar(std::string_view what);
  std::string string(std::string_view what);
  Id id(std::string_view what);
  /// The next letters if they are "..", or "...".
  bool accept_dots(std::size_t count);
  /// Whether the next token begins with a digit or a minus.
  bool is_at_number() const;

  /// Throws TextError: "expected `what`, found ...".
  [[noreturn]] void fail_expected(std::string_view what) const;
  /// Throws TextError with `message` for the place `offset`.
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const;

 private:
  void skip_blanks();
  std::string_view take(std::size_t size);
  std::size_t name_size(std::size_t from) const;
  /// The offset behind the string that begins at `from`.
  std::size_t end_of_string(std::size_t from) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace onnx2ir::ir
