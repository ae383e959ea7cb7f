// JSON with the line of each value. The text may be untrusted: time and memory are linear in its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace onnx2ir::frontend {

/// Throws Failure (bad_extension) for a line of a text: for a malformed text, and in the readers of its
/// values.
[[noreturn]] void fail_in_line(std::int64_t line, std::string message);

struct JsonValue;
struct JsonMember;
using JsonArray = std::vector<JsonValue>;
/// In the order of the text; no name is repeated.
using JsonObject = std::vector<JsonMember>;

struct JsonValue {
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, JsonArray, JsonObject> value;
  std::int64_t line = 1;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

/// Values may be nested at most this deep.
inline constexpr std::size_t kDeepestJson = 16;

/// Throws Failure (bad_extension) if `text` is not JSON, repeats a key of an object, or is nested too deeply.
JsonValue parse_json(std::string_view text);

}  // namespace onnx2ir::frontend
