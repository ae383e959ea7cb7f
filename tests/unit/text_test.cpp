#include "ir/text.hpp"

#include <onnx2ir/onnx2ir.hpp>

#include "catch.hpp"

TEST_CASE("a loop is printed with its body and its wiring", "[text]") {
  const auto conversion = onnx2ir::convert_file(ONNX2IR_TESTS_DIR "/models/powers.onnxtxt");
  REQUIRE(conversion.model);
  const std::string text = conversion.model->text();
  INFO(text);
  CHECK(text.find("model \"powers\"\n") == 0);
  CHECK(text.find(" = Parameter") != std::string::npos);
  CHECK(text.find(": i64[] = 3\n") != std::string::npos);
  CHECK(text.find(": f32[2], f32[3,2] \"last\", \"all\"\n") != std::string::npos);
  CHECK(text.find("\n    carried %") != std::string::npos);
  CHECK(text.find("\n    scan %") != std::string::npos);
}
