// Buffers the text of an XML file.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>

namespace onnx2ir::backend_xml {

/// Receives the text in pieces; returns false to stop writing.
using TextSink = std::function<bool(std::string_view)>;

/// What is written for a character that an attribute value must not have; empty for others.
inline constexpr auto kEscapes = [] {
  std::array<std::string_view, 256> escapes{};
  for (std::size_t control = 0; control < 0x20; ++control) escapes[control] = " ";
  escapes['\t'] = "&#9;";
  escapes['\n'] = "&#10;";
  escapes['\r'] = "&#13;";
  escapes['"'] = "&quot;";
  escapes['&'] = "&amp;";
  escapes['<'] = "&lt;";
  escapes['>'] = "&gt;";
  return escapes;
}();

/// Collects text and passes it to a sink in large pieces.
class XmlText {
 public:
  explicit XmlText(const TextSink& sink) : sink_(&sink) {}

  /// Writes several literals, strings and numbers.
  template <typename... Parts>
  void write(const Parts&... parts) {
    // One check of the free space for all parts. Texts that do not fit into the buffer are rare.
    if (const std::size_t most = (max_letters(parts) + ...); most > kPiece - used_) {
      write_full_pages();
      if (most > kPiece - used_) return (write_long(parts), ...);
    }
    char* end = buffer_.get() + used_;
    ((end = put(end, parts)), ...);
    used_ = static_cast<std::size_t>(end - buffer_.get());
  }
  /// Escapes text for an attribute value. Control characters that XML 1.0 does not allow become spaces.
  void write_escaped(std::string_view text) {
    const auto escape_of = [](char letter) { return kEscapes[static_cast<unsigned char>(letter)]; };
    while (!text.empty()) {
      const auto* const special =
          std::ranges::find_if(text, [&](char letter) { return !escape_of(letter).empty(); });
      const auto plain = static_cast<std::size_t>(special - text.begin());
      write(text.substr(0, plain));
      if (special == text.end()) return;
      write(escape_of(*special));
      text.remove_prefix(plain + 1);
    }
  }
  void flush() { write_to_sink(used_); }
  bool stopped() const { return stopped_; }

 private:
  /// A literal has a constant length, so the compiler inlines the copy.
  template <std::size_t kSize>
  static constexpr std::size_t max_letters(const char (&)[kSize]) {
    return kSize - 1;
  }
  static std::size_t max_letters(std::string_view text) { return text.size(); }
  static constexpr std::size_t max_letters(std::int64_t) { return 20; }

  template <std::size_t kSize>
  static char* put(char* at, const char (&literal)[kSize]) {
    std::memcpy(at, literal, kSize - 1);
    return at + kSize - 1;
  }
  static char* put(char* at, std::string_view text) {
    return std::copy(text.begin(), text.end(), at);  // memcpy needs a pointer, even for an empty text
  }
  static char* put(char* at, std::int64_t number) {
    if (number >= 0 && number < 10) {  // most numbers are ids of ports
      *at = static_cast<char>('0' + number);
      return at + 1;
    }
    if (number >= 0 && number < 100) {
      at[0] = static_cast<char>('0' + number / 10);
      at[1] = static_cast<char>('0' + number % 10);
      return at + 2;
    }
    return std::to_chars(at, at + 20, number).ptr;
  }

  void write_long(std::string_view text) {
    while (!text.empty()) {
      if (used_ == kPiece) write_full_pages();
      const std::string_view part = text.substr(0, kPiece - used_);
      put(buffer_.get() + used_, part);
      used_ += part.size();
      text.remove_prefix(part.size());
    }
  }
  void write_long(std::int64_t number) { write(number); }

  void write_to_sink(std::size_t size) {
    if (!stopped_ && size != 0) stopped_ = !(*sink_)({buffer_.get(), size});
    std::memmove(buffer_.get(), buffer_.get() + size, used_ - size);
    used_ -= size;
  }
  /// Passes on whole pages, which makes file writes faster.
  void write_full_pages() { write_to_sink(used_ / kPage * kPage); }

  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kPiece = 17 * kPage;  // up to 64 KiB per write
  const TextSink* sink_;
  std::unique_ptr<char[]> buffer_{new char[kPiece]};
  std::size_t used_ = 0;
  bool stopped_ = false;
};

}  // namespace onnx2ir::backend_xml
