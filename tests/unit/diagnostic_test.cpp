#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "base/failure.hpp"
#include "catch.hpp"
#include "onnx2ir/onnx2ir.hpp"
#include "temporary_folder.hpp"

namespace onnx2ir {
namespace {

static_assert(std::ranges::is_sorted(kDiagnosticCodes, {}, &DiagnosticCodeInfo::name));
static_assert(kDiagnosticCodes.size() == static_cast<std::size_t>(DiagnosticCode::zipmap_dropped) + 1);
static_assert(name_of(DiagnosticCode::bad_interface) == "bad-interface");

// The API turns every std::exception into a diagnostic: no other type may be thrown.
static_assert(std::is_base_of_v<std::runtime_error, base::Failure>);  // a promise of the public API
static_assert(std::is_base_of_v<std::exception, base::InternalError>);

constexpr const char* kRelu =
    "<ir_version: 8, opset_import: [\"\" : 16]> m (float[2] x) => (float[2] y) { y = Relu (x) }";

TEST_CASE("a callback that throws ends the conversion with an error") {
  Options options;
  options.progress = [](std::string_view, double) { throw std::runtime_error("progress"); };
  const Conversion conversion = convert_text(kRelu, options);
  CHECK_FALSE(conversion.model);
  REQUIRE(conversion.diagnostics.size() == 1);
  CHECK(conversion.diagnostics[0].code == DiagnosticCode::internal_error);
}

TEST_CASE(
    "files that were not written together are no pair, and a weights file that became shorter is "
    "unreadable") {
  const TemporaryFolder folder("diagnostic_test");
  const std::filesystem::path data = folder / "w.data";
  std::ofstream(data, std::ios::binary) << std::string(std::size_t{1} << 16U, 'x');
  const std::filesystem::path model = folder / "m.onnxtxt";
  std::ofstream(model)
      << "<ir_version: 8, opset_import: [\"\" : 16]> m (float[16384] x) => (float[16384] y)\n"
         "<float[16384] w = [\"location\": \"w.data\"]> { y = Add (x, w) }";
  const Conversion conversion = convert_file(model);
  REQUIRE(conversion.model);
  REQUIRE_FALSE(conversion.model->save(folder / "m.xml"));
  CHECK_FALSE(check_files(folder / "m.xml"));
  std::filesystem::resize_file(folder / "m.bin", 100);
  const auto mismatch = check_files(folder / "m.xml");
  REQUIRE(mismatch);
  CHECK(mismatch->code == DiagnosticCode::not_a_pair);
  std::filesystem::resize_file(data, 100);
  const auto problem = conversion.model->save(folder / "m.xml");
  REQUIRE(problem);
  CHECK(problem->code == DiagnosticCode::unreadable_input);
}

}  // namespace
}  // namespace onnx2ir

TEST_CASE("text that is not UTF-8 is valid JSON", "[diagnostic]") {
  CHECK(onnx2ir::json_string("a\xFFz\xC3\xA4\n\"\x7f") == "\"a\xEF\xBF\xBDz\xC3\xA4\\n\\\"\x7f\"");
  onnx2ir::Diagnostic diagnostic;
  diagnostic.message = "layer '\xE2\x82'";
  CHECK(to_json(std::vector{diagnostic}).find("layer '\xEF\xBF\xBD'") != std::string::npos);
}
