// Regular expressions as automata: matches and rejected patterns. Their meaning is compared with
// onnxruntime in tests/conformance/test_strings.py.
#include <string>

#include "catch.hpp"
#include "frontend/strings/byte_automaton.hpp"

using namespace onnx2ir::frontend;

namespace {

bool matches(std::string_view pattern, std::string_view text) {
  const ByteAutomaton automaton = *byte_automaton(pattern);
  std::int32_t state = 0;
  for (const char byte : text) {
    const std::int32_t of_class = automaton.class_of_byte[static_cast<unsigned char>(byte)];
    state = automaton.next[static_cast<std::size_t>(state * automaton.class_count + of_class)];
  }
  return automaton.accepts[static_cast<std::size_t>(state)];
}

std::string refusal(std::string_view pattern) {
  const auto automaton = byte_automaton(pattern);
  return automaton ? std::string() : automaton.error().message;
}

}  // namespace

TEST_CASE("an automaton matches whole texts") {
  CHECK(matches("a(b|c)*", "abcb"));
  CHECK_FALSE(matches("a(b|c)*", "abd"));
  CHECK(matches("", ""));
  CHECK_FALSE(matches("", "a"));
  CHECK(matches("[^a]", "\xE6\x97\xA5"));
  CHECK_FALSE(matches("[^a]", "\xE6\x97"));
  CHECK(matches(R"(\bab\b.*)", "ab c"));
  CHECK_FALSE(matches(R"(\bab\b.*)", "abc"));
}

TEST_CASE("ranges of characters become ranges of bytes") {
  for (const auto& [text, expected] : {std::pair("\x7F", false),
                                       {"\xC2\x80", true},
                                       {"\xDF\xBF", true},
                                       {"\xE0\xA0\x80", true},
                                       {"\xED\x9F\xBF", true},
                                       {"\xF0\x90\x80\x80", true},
                                       {"\xF0\x90\x80\x81", false}}) {
    CHECK(matches(R"([\x{80}-\x{10000}])", text) == expected);
  }
}

TEST_CASE("malformed and unsupported patterns are rejected with the reason") {
  CHECK(refusal("(a") == "'(' without ')'");
  CHECK(refusal("a)") == "')' without '('");
  CHECK(refusal("[a") == "'[' without ']'");
  CHECK(refusal("[") == "'[' without ']'");
  CHECK(refusal("[^") == "'[' without ']'");
  CHECK(refusal("[b-a]") == "a range in '[...]' ends before it begins");
  CHECK(refusal("*a") == "there is nothing before '*' to repeat");
  CHECK(refusal("(?i)*") == "there is nothing to repeat after flags");
  CHECK(refusal("a**") == "one repetition follows another");
  CHECK(refusal("a{1001}") == "the numbers in '{...}' are out of range");
  CHECK(refusal("a{3,2}") == "the numbers in '{...}' are out of range");
  CHECK(refusal("a\\") == "it ends in '\\'");
  CHECK(refusal("\\x{110000}") == "a code after \\x is malformed");
  CHECK(refusal("\\xg") == "a code after \\x is malformed");
  CHECK(refusal("(a)\\1") == "references to groups are not supported");
  CHECK(refusal("(?=a)") == "'(?=' is not supported");
  CHECK(refusal("(?") == "'(' without ')'");
  CHECK(refusal("(?i") == "'(' without ')'");
  CHECK(refusal("(?i-)") == "flags are missing in '(?...)'");
  CHECK(refusal("(?)") == "flags are missing in '(?...)'");
  CHECK(refusal("\\\xC3\xA9") == "a character beyond ASCII is escaped");
  CHECK(refusal("(?P<a b>c)") == "a group has a bad name");
  CHECK(refusal("(?P<a") == "a group has a bad name");
  CHECK(refusal("\\pL") == "classes of Unicode (\\p) are not supported");
  CHECK(refusal("[\\pL]") == "classes of Unicode (\\p) are not supported");
  CHECK(refusal("[[:letter:]]") == "there is no class [:letter:]");
  CHECK(refusal("\\Z") == "'\\Z' is not supported");
  CHECK(refusal("\xFF") == "it is not in UTF-8");
}

TEST_CASE("patterns that exceed the limits are rejected") {
  CHECK(refusal("((a{1000}){1000}){1000}") == "its automaton would be too large");
  CHECK(refusal("(a|b)*a(a|b){30}") == "its automaton would be too large");
  CHECK(refusal("(((.*){1000}){1000}){1000}") == "its automaton would be too large");
  CHECK(refusal("((((){1000}){1000}){1000}){1000}") == "its automaton would be too large");
  CHECK(refusal(std::string(100000, '(')) == "its groups are nested too deeply");
  CHECK(refusal("(a|b)*a(a|b){10}").empty());
}
