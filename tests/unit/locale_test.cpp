// A program that uses the library may have any locale: it does not affect numbers.
#include <filesystem>
#include <locale>
#include <onnx2ir/onnx2ir.hpp>
#include <string>

#include "catch.hpp"

using namespace onnx2ir;

namespace {

/// 1.234,5 as in German.
class German : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class GlobalLocale {
 public:
  explicit GlobalLocale(const std::locale& locale) : before_(std::locale::global(locale)) {}
  GlobalLocale(const GlobalLocale&) = delete;
  GlobalLocale& operator=(const GlobalLocale&) = delete;
  ~GlobalLocale() { std::locale::global(before_); }

 private:
  std::locale before_;
};

struct Outputs {
  std::string xml;
  std::vector<std::byte> weights;
  std::string text;
  std::string diagnostics;

  friend bool operator==(const Outputs&, const Outputs&) = default;
};

Outputs outputs_of(const std::filesystem::path& path) {
  const Conversion conversion = convert_file(path);
  Outputs outputs;
  outputs.diagnostics = to_json(conversion);
  if (conversion.model) {
    outputs.xml = conversion.model->xml();
    outputs.weights = conversion.model->weights();
    outputs.text = conversion.model->text();
  }
  return outputs;
}

}  // namespace

TEST_CASE("the locale of the process does not change the result", "[locale]") {
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ONNX2IR_TESTS_DIR)) {
    const auto folder = entry.path().parent_path().filename();
    if (entry.path().extension() != ".onnxtxt" || (folder != "golden" && folder != "found")) continue;
    INFO(entry.path().string());
    const Outputs expected = outputs_of(entry.path());
    const GlobalLocale locale(std::locale(std::locale::classic(), new German));
    CHECK(outputs_of(entry.path()) == expected);
    const auto inputs = parse_inputs("rate->1.5,data[1000,3]{f32}");
    REQUIRE(inputs);
    CHECK(inputs->at(1).name == "data");
    ++models;
  }
  CHECK(models > 10);
}
