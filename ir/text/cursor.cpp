#include "ir/text/cursor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/failure.hpp"

namespace onnx2ir::ir {
namespace {

/// The number of bytes of the first UTF-8 letter in `text`; 0 if it is not valid UTF-8.
std::size_t letter_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80        ? 1
                           : first >> 5U == 6  ? 2
                           : first >> 4U == 14 ? 3
                           : first >> 3U == 30 ? 4
                                               : 0;
  if (size == 0 || size > text.size()) return 0;
  std::uint32_t code = size == 1 ? first : first & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if (byte(i) >> 6U != 2) return 0;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < kMin[size] || code > 0x10ffff || is_surrogate ? 0 : size;
}

/// The content of a well-formed string with its escapes replaced; `quoted_text` includes the quotes.
std::string unquoted(std::string_view quoted_text) {
  std::string result;
  const std::string_view inner = quoted_text.substr(1, quoted_text.size() - 2);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\') {
      result += inner[i];
    } else if (const char letter = inner[++i]; letter == 'n') {
      result += '\n';
    } else if (letter == 'x') {
      result += static_cast<char>(hexadecimal_digit(inner[i + 1]) * 16 + hexadecimal_digit(inner[i + 2]));
      i += 2;
    } else {
      result += letter;
    }
  }
  return result;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const char letter = text.front();
    const std::size_t size = letter_size(text);
    if (letter == '"' || letter == '\\') {
      result += {'\\', letter};
    } else if (letter == '\n') {
      result += "\\n";
    } else if (size == 0 || static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result + '"';
}

std::string Id::name() const {
  if (spelling[1] == '_') return {};
  if (spelling[1] == '"') return unquoted(spelling.substr(1, spelling.rfind('"')));
  return std::string(spelling.substr(1, spelling.find('~') - 1));
}

void Cursor::fail(std::size_t offset, const std::string& message) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  const std::size_t last_break = before.rfind('\n');
  throw base::Failure(
      Problem{DiagnosticCode::unreadable_ir,
              message,
              {},
              {line, last_break == std::string_view::npos ? offset + 1 : offset - last_break}});
}

void Cursor::fail_expected(std::string_view what) const {
  if (is_at_end()) fail(at_, fmt::format("expected {}, found the end of the text", what));
  constexpr std::size_t kMaxLetters = 32;
  const std::size_t size = std::clamp<std::size_t>(name_size(at_), 1, kMaxLetters);
  fail(at_, fmt::format("expected {}, found {}", what, ir::quoted(text_.substr(at_, size))));
}

void Cursor::skip_blanks() {
  while (at_ < text_.size()) {
    const char letter = text_[at_];
    if (letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

std::string_view Cursor::take(std::size_t size) {
  const std::string_view token = text_.substr(at_, size);
  at_ += size;
  skip_blanks();
  return token;
}

std::size_t Cursor::name_size(std::size_t from) const {
  std::size_t end = from;
  while (end < text_.size() && is_name_letter(text_[end])) ++end;
  return end - from;
}

bool Cursor::accept(char letter) {
  if (peek() != letter) return false;
  take(1);
  return true;
}

bool Cursor::accept_word(std::string_view word) {
  if (text_.substr(at_, name_size(at_)) != word) return false;
  take(word.size());
  return true;
}

void Cursor::expect(char letter, std::string_view context) {
  if (!accept(letter)) fail_expected(fmt::format("'{}' {}", letter, context));
}

void Cursor::expect_word(std::string_view word) {
  if (!accept_word(word)) fail_expected(fmt::format("'{}'", word));
}

std::string_view Cursor::word(std::string_view what) {
  const std::size_t size = name_size(at_);
  if (size == 0 || is_digit(peek())) fail_expected(what);
  return take(size);
}

bool Cursor::is_at_number() const {
  return is_digit(peek()) || peek() == '-';
}

std::int64_t Cursor::integer(std::string_view what) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
  if (error == std::errc::result_out_of_range) fail(at_, fmt::format("{} does not fit into 64 bits", what));
  if (error != std::errc{}) fail_expected(what);
  take(static_cast<std::size_t>(stop - text_.data()) - at_);
  return number;
}

std::string_view Cursor::scalar(std::string_view what) {
  std::size_t size = name_size(at_);
  while (at_ + size < text_.size() && text_[at_ + size] == '+')
    size += 1 + name_size(at_ + size + 1);  // "1e+20"
  if (size == 0) fail_expected(what);
  return take(size);
}

bool Cursor::accept_dots(std::size_t count) {
  if (text_.substr(at_, count) != std::string_view("...").substr(0, count)) return false;
  take(count);
  return true;
}

std::size_t Cursor::end_of_string(std::size_t from) const {
  for (std::size_t i = from + 1; i < text_.size(); ++i) {
    const char letter = text_[i];
    if (letter == '"') return i + 1;
    if (letter == '\n') break;
    if (letter != '\\') continue;
    const std::string_view escape = text_.substr(i, 4);
    const bool is_letter = escape.size() > 1 && (escape[1] == 'n' || escape[1] == '"' || escape[1] == '\\');
    const bool is_byte = escape.size() == 4 && escape[1] == 'x' && hexadecimal_digit(escape[2]) >= 0 &&
                         hexadecimal_digit(escape[3]) >= 0;
    if (!is_letter && !is_byte)
      fail(i, R"(expected one of the escapes \n, \", \\ and \x with two hexadecimal digits)");
    i += is_byte ? 3 : 1;
  }
  fail(from, "the string has no closing quote in its line");
}

std::string Cursor::string(std::string_view what) {
  if (peek() != '"') fail_expected(what);
  return unquoted(take(end_of_string(at_) - at_));
}

Id Cursor::id(std::string_view what) {
  if (peek() != '%') fail_expected(what);
  const std::size_t start = at_;
  const bool has_quotes = text_.substr(start + 1, 1) == "\"";
  std::size_t end = has_quotes ? end_of_string(start + 1) : start + 1 + name_size(start + 1);
  if (end == start + 1) fail(start, "expected a name or a quoted name after '%'");
  if (text_.substr(end, 1) == "~") {
    const std::size_t digits = name_size(end + 1);
    if (digits == 0) fail(end, "expected a number after '~'");
    end += 1 + digits;
  }
  return {take(end - start), start};
}

}  // namespace onnx2ir::ir
