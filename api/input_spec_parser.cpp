// Parses the text form of inputs: NAME, SHAPE, TYPE and VALUE of each.
#include <charconv>
#include <string>

#include "base/failure.hpp"
#include "onnx2ir/options.hpp"

namespace onnx2ir {
namespace {

class InputText {
 public:
  explicit InputText(std::string_view text) : text_(text) {}

  std::vector<InputSpec> parse() {
    std::vector<InputSpec> inputs;
    while (true) {
      inputs.push_back(input());
      if (at_end()) return inputs;
      expect(',');
    }
  }

 private:
  /// A longer list of dimensions is a mistake.
  static constexpr std::size_t kMaxDimensions = 256;

  bool at_end() const { return at_ == text_.size(); }
  char next() const { return at_end() ? '\0' : text_[at_]; }
  bool skip(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void skip_blanks() {
    while (next() == ' ' || next() == '\t') ++at_;
  }
  [[noreturn]] void fail(const std::string& problem) const {
    throw base::Failure(DiagnosticCode::bad_interface, problem + " at character " + std::to_string(at_ + 1) +
                                                           " of '" + std::string(text_) + "'");
  }
  void expect(char letter) {
    if (next() != letter) fail(std::string("'") + letter + "' is expected");
    ++at_;
  }

  InputSpec input() {
    InputSpec spec;
    skip_blanks();
    spec.name = name();
    while (true) {
      skip_blanks();
      if (next() == '[' && !spec.shape) {
        spec.shape = shape();
      } else if (next() == '{' && spec.element_type.empty()) {
        spec.element_type = element_type();
      } else {
        break;
      }
    }
    if (skip("->")) spec.value = value();
    skip_blanks();
    if (spec == InputSpec{}) fail("an input is expected");
    return spec;
  }

  /// Reads up to the first character that cannot be part of a name, and removes blanks around the name.
  std::string name() {
    std::string name;
    std::size_t length = 0;
    while (!at_end() && std::string_view(",[{").find(next()) == std::string_view::npos &&
           text_.substr(at_, 2) != "->") {
      const bool is_escaped = skip("\\");
      if (at_end()) fail("a character is expected after the backslash");
      name += text_[at_++];
      if (is_escaped || name.back() != ' ') length = name.size();
    }
    name.resize(length);
    return name;
  }

  std::vector<DimensionBounds> shape() {
    std::vector<DimensionBounds> bounds;
    expect('[');
    while (true) {
      while (next() == ' ' || next() == ',') ++at_;
      if (next() == ']') break;
      if (bounds.size() == kMaxDimensions) fail("the shape has too many dimensions");
      bounds.push_back(dimension());
      if (std::string_view(" ,]").find(next()) == std::string_view::npos) fail("',' or ']' is expected");
    }
    expect(']');
    return bounds;
  }

  DimensionBounds dimension() {
    if (skip("?") || skip("-1")) return {};
    DimensionBounds bounds;
    const bool has_minimum = next() != '.';
    if (has_minimum) bounds.min = size();
    if (!skip("..")) {
      bounds.max = bounds.min;
      return bounds;
    }
    const bool has_maximum = next() >= '0' && next() <= '9';
    if (!has_minimum && !has_maximum) fail("a size is expected");
    if (has_maximum) bounds.max = size();
    if (has_maximum && bounds.max < bounds.min) fail("the largest size is below the smallest one");
    return bounds;
  }

  std::int64_t size() {
    std::int64_t size = 0;
    const char* const start = text_.data() + at_;
    const auto [end, error] = std::from_chars(start, text_.data() + text_.size(), size);
    if (error == std::errc::result_out_of_range) fail("a size of 63 bits is expected");
    if (error != std::errc() || size < 0) fail("a size, ? or -1 is expected");
    at_ += static_cast<std::size_t>(end - start);
    return size;
  }

  std::string element_type() {
    expect('{');
    const auto end = text_.find('}', at_);
    if (end == std::string_view::npos) fail("'}' is missing");
    std::string type(text_.substr(at_, end - at_));
    if (type.empty()) fail("an element type is expected");
    at_ = end + 1;
    return type;
  }

  /// Reads up to a comma outside of brackets.
  std::string value() {
    std::string value;
    int depth = 0;
    while (!at_end() && (depth > 0 || next() != ',')) {
      if (skip("\\")) {
        if (at_end()) fail("a character is expected after the backslash");
      } else {
        if (next() == '[') ++depth;
        if (next() == ']') --depth;
      }
      value += text_[at_++];
    }
    if (depth != 0) fail("brackets of the value do not match");
    if (value.empty()) fail("a value is expected");
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<InputSpec>> parse_inputs(std::string_view text) {
  return base::attempt(DiagnosticCode::bad_interface, [&] { return InputText(text).parse(); });
}

}  // namespace onnx2ir
