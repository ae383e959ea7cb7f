// Texts inside of an HTML page.
#include <backend_html/page.hpp>
#include <catch.hpp>
#include <json/json.hpp>
#include <string>

using onnx2ir::backend_html::kMaxTextSize;
using onnx2ir::backend_html::page_text;

namespace {

std::string json(std::string_view text) {
  return onnx2ir::backend_html::without_markup(onnx2ir::compact_text(page_text(text)));
}

}  // namespace

TEST_CASE("text in the page is JSON without the letter that starts markup") {
  CHECK(json("conv/1") == "\"conv/1\"");
  CHECK(json("</script>") == "\"\\u003c/script>\"");
  CHECK(json(std::string_view("\"\\\n\0", 4)) == "\"\\\"\\\\\\n\\u0000\"");
  CHECK(json("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80") == "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"");
}

TEST_CASE("bytes that are not UTF-8 are replaced") {
  const std::string replacement = "\xEF\xBF\xBD";
  CHECK(json("a\xFF") == "\"a" + replacement + "\"");
  CHECK(json("\xC0\x80").find('\xC0') == std::string::npos);        // overlong
  CHECK(json("\xED\xA0\x80").find('\xED') == std::string::npos);    // a surrogate
  CHECK(json("\xF4\x90\x80\x80z").ends_with(replacement + "z\""));  // above U+10FFFF
  CHECK(json("\xE2\x82").ends_with(replacement + "\""));            // cut
  CHECK(json("\xE2<") == "\"" + replacement + "\\u003c\"");
}

TEST_CASE("long text is cut between two characters") {
  std::string text(kMaxTextSize - 1, 'n');
  text += "\xC3\xA4rest";
  CHECK(json(text) == "\"" + text.substr(0, kMaxTextSize + 1) + "... (2005 bytes)\"");
  CHECK(json(std::string(kMaxTextSize, 'n')) == "\"" + std::string(kMaxTextSize, 'n') + "\"");
  CHECK(json(std::string(kMaxTextSize + 10, '\x80')).ends_with("... (2010 bytes)\""));
}
