#include "frontend/mapping/json.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/failure.hpp"

namespace onnx2ir::frontend {
namespace {

/// An iterator over a text that records the furthest position that was read.
struct Position {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** furthest = nullptr;

  reference operator*() const { return *at; }
  Position& operator++() {
    *furthest = ++at;
    return *this;
  }
  Position operator++(int) {
    Position before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Position& a, const Position& b) { return a.at == b.at; }
};

/// Receives the events of the parser and builds the value.
class ValueBuilder {
 public:
  ValueBuilder(std::string_view text, const char* const& furthest)
      : counted_(text.data()), begin_(text.data()), furthest_(&furthest) {}

  JsonValue take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return add(static_cast<double>(value));
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& /*text*/) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(nlohmann::json::binary_t& /*value*/) { return false; }  // not in texts
  bool start_object(std::size_t /*size*/) { return open(JsonObject()); }
  bool start_array(std::size_t /*size*/) { return open(JsonArray()); }
  bool key(std::string& name) {
    std::get<JsonObject>(open_.back()->value).push_back({std::move(name), {nullptr, line()}});
    return true;
  }
  bool end_object() {
    std::vector<std::pair<std::string_view, std::int64_t>> keys;
    for (const auto& [name, value] : std::get<JsonObject>(open_.back()->value))
      keys.emplace_back(name, value.line);
    std::ranges::sort(keys);
    const auto repeated = std::ranges::adjacent_find(keys, {}, &decltype(keys)::value_type::first);
    if (repeated != keys.end())
      fail_in_line(std::next(repeated)->second, "'" + std::string(repeated->first) + "' is given twice");
    open_.pop_back();
    return true;
  }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& token, const nlohmann::json::exception&) {
    fail_in_line(line(), "the text is not JSON here, at '" +
                             token.substr(token.size() - std::min(token.size(), kLongestToken)) + "'");
  }

 private:
  static constexpr std::size_t kLongestToken = 40;  // the error is at its end

  /// The parser has read at most one letter after the current value.
  std::int64_t line() {
    const char* const end = *furthest_ == begin_ ? begin_ : std::prev(*furthest_);
    if (end > counted_) {
      line_ += std::count(counted_, end, '\n');
      counted_ = end;
    }
    return line_;
  }

  template <typename Value>
  bool add(Value&& value) {
    place() = {std::forward<Value>(value), line()};
    return true;
  }
  template <typename Container>
  bool open(Container container) {
    if (open_.size() >= kDeepestJson)
      fail_in_line(line(), "values are nested more than " + std::to_string(kDeepestJson) + " deep");
    JsonValue& value = place();
    value = {std::move(container), line()};
    open_.push_back(&value);
    return true;
  }

  /// Where the next value belongs. The pointers in `open_` stay valid, because only the innermost value
  /// grows.
  JsonValue& place() {
    if (open_.empty()) return root_;
    if (auto* const array = std::get_if<JsonArray>(&open_.back()->value)) return array->emplace_back();
    return std::get<JsonObject>(open_.back()->value).back().value;
  }

  const char* counted_;  ///< lines are counted up to here
  const char* begin_;
  const char* const* furthest_;
  std::int64_t line_ = 1;
  JsonValue root_;
  std::vector<JsonValue*> open_;
};

}  // namespace

void fail_in_line(std::int64_t line, std::string message) {
  throw base::Failure(
      Problem{DiagnosticCode::bad_extension, std::move(message), {}, {static_cast<std::size_t>(line), 0}});
}

JsonValue parse_json(std::string_view text) {
  const char* furthest = text.data();
  ValueBuilder builder(text, furthest);
  nlohmann::json::sax_parse(Position{text.data(), &furthest}, Position{text.data() + text.size(), &furthest},
                            &builder);
  return builder.take();
}

}  // namespace onnx2ir::frontend
