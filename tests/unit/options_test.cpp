#include <onnx2ir/onnx2ir.hpp>

#include "catch.hpp"

namespace onnx2ir {
namespace {

std::vector<InputSpec> parsed(std::string_view text) {
  auto inputs = parse_inputs(text);
  REQUIRE(inputs);
  return *inputs;
}

TEST_CASE("inputs are read with names, shapes, types and values in any order") {
  const auto inputs = parsed(R"(data[1,?,-1,2..8,..3,4..]{f16}, len -> [1,2,3],b{i64}[],->true)");
  REQUIRE(inputs.size() == 4);
  using Bounds = std::vector<DimensionBounds>;
  CHECK(inputs[0] == InputSpec{"data", Bounds{{1, 1}, {}, {}, {2, 8}, {0, 3}, {4, -1}}, "f16", std::nullopt});
  CHECK(inputs[1] == InputSpec{"len", std::nullopt, "", " [1,2,3]"});
  CHECK(inputs[2] == InputSpec{"b", Bounds{}, "i64", std::nullopt});
  CHECK(inputs[3] == InputSpec{"", std::nullopt, "", "true"});
}

TEST_CASE("a backslash escapes a character of a name or a value") {
  const auto inputs = parsed(R"(a\,b\[0]->x\,y)");
  REQUIRE(inputs.size() == 1);
  CHECK(inputs[0] == InputSpec{"a,b[0]", std::nullopt, "", "x,y"});
}

TEST_CASE("malformed inputs are rejected with the position") {
  for (const char* text : {"", ",", "a,", "a[", "a[1", "a[x]", "a[3..1]", "a[..]", "a{", "a{}", "a->",
                           "a->[1", "a[1]b", "a[99999999999999999999]", "a\\"}) {
    CAPTURE(text);
    const auto inputs = parse_inputs(text);
    REQUIRE_FALSE(inputs);
    CHECK_THAT(inputs.error().message, contains("at character"));
  }
}

TEST_CASE("every option can be set by its name, in both spellings") {
  for (const OptionInfo& row : list_options()) {
    CAPTURE(row.name);
    Options options;
    const char* value = row.kind == OptionInfo::Kind::flag ? "True" : "1";
    if (row.group == "Compiler") value = "fold_constants";
    if (row.name == "max_memory") value = "1MiB";
    if (row.name == "quantization") value = "exact";
    if (row.name == "dynamic_quantization") value = "always";
    CHECK_FALSE(set_option(options, row.name, value));
    std::string hyphens(row.name);
    for (char& letter : hyphens) letter = letter == '_' ? '-' : letter;
    CHECK_FALSE(set_option(options, hyphens, value));
  }
  Options options;
  CHECK(set_option(options, "target_runtimes", "x") ==
        "there is no option 'target_runtimes'; did you mean 'target_runtime'?");
}

TEST_CASE("sizes have units of 1024") {
  SaveOptions options;
  for (const auto& [text, size] :
       {std::pair{"2G", std::uint64_t{2} << 30U}, {"5kb", 5120}, {"7MiB", 7U << 20U}, {"9", 9}}) {
    CHECK_FALSE(set_option(options, "max_xml_size", text));
    CHECK(options.max_xml_size == size);
  }
  for (const char* text : {"", "G", "2X", "-1", "99999999999T"})
    CHECK(set_option(options, "max_xml_size", text));
}

TEST_CASE("a cancelled conversion is an error") {
  Options options;
  int asked = 0;
  options.is_cancelled = [&] { return ++asked > 2; };
  const Conversion conversion = convert_text(
      "<ir_version: 8, opset_import: [\"\" : 16]> m (float[2] x) => (float[2] y) "
      "{ a = Neg (x)  b = Neg (a)  c = Abs (b)  y = Neg (c) }",
      options);
  CHECK_FALSE(conversion.model);
  REQUIRE(conversion.diagnostics.size() == 1);
  CHECK(conversion.diagnostics[0].code == DiagnosticCode::cancelled);
  CHECK(asked == 3);
}

}  // namespace
}  // namespace onnx2ir
