// JSON with the line of each value. The text may be untrusted: time and memory are linear in its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace onnx2ir::frontend {

/// Thrown for a malformed text, and by the readers of its values.
class JsonError : public std::runtime_error {
 public:
  JsonError(std::int64_t where, const std::string& what) : std::runtime_error(what), line(where) {}

  std::int64_t line;  ///< from 1
};

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

/// Throws JsonError if `text` is not JSON, repeats a key of an object, or is nested too deeply.
JsonValue parse_json(std::string_view text);

}  // namespace onnx2ir::frontend
