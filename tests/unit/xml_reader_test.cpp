// Written IR reads back: every model of the tests, and the ports of Loop-5 that the front end does not emit.
#include "backend_xml/xml_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <onnx2ir/onnx2ir.hpp>
#include <string_view>

#include "backend_xml/write_model.hpp"
#include "catch.hpp"
#include "failure_code.hpp"
#include "temporary_folder.hpp"

using namespace onnx2ir;
using backend_xml::read_xml;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// sum += 10 * rows[i], and columns from the last to the first: sliced along different axes.
std::pair<std::string, ir::ConstantData> sliced_inputs() {
  const std::string weights = read_file(ONNX2IR_TESTS_DIR "/models/sliced_inputs.bin");
  std::vector<std::byte> bytes;
  for (const char letter : weights) bytes.push_back(static_cast<std::byte>(letter));
  return {read_file(ONNX2IR_TESTS_DIR "/models/sliced_inputs.xml"), ir::ConstantData(std::move(bytes))};
}

}  // namespace

TEST_CASE("models read back as they were written", "[xml]") {
  std::size_t models = 0;
  const TemporaryFolder folder("xml_reader_test");
  const std::filesystem::path written = folder / "m.xml";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ONNX2IR_TESTS_DIR "/models")) {
    if (!entry.path().extension().string().starts_with(".onnx")) continue;
    const Conversion conversion = convert_file(entry.path());
    if (!conversion.model) continue;
    INFO(entry.path().string());
    const std::string xml = conversion.model->xml();
    const std::vector<std::byte> weights = conversion.model->weights();
    const auto model = read_xml(xml, ir::ConstantData(weights));
    CHECK(backend_xml::xml_text(*model) == xml);
    CHECK(backend_xml::weights_bytes(*model) == weights);
    REQUIRE_FALSE(conversion.model->save(written));
    const Conversion read = read_ir(written);
    REQUIRE(read.model);
    CHECK(read.model->text() == conversion.model->text());
    CHECK(diff(*read.model, *conversion.model).empty());
    ++models;
  }
  CHECK(models > 50);
}

TEST_CASE("a layer with only notes as attributes reads back as written", "[xml]") {
  const Conversion conversion = convert_text(R"(<ir_version: 10, opset_import: ["" : 19]>
    g (float8e5m2[5] x, float scale) => (float[5] y) { y = DequantizeLinear <axis = 0> (x, scale) })");
  REQUIRE(conversion.model);
  const std::string xml = conversion.model->xml();
  CHECK(xml.find("<data/>") == std::string::npos);
  CHECK(backend_xml::xml_text(*read_xml(xml, ir::ConstantData(conversion.model->weights()))) == xml);
}

TEST_CASE("dynamic sizes of variables are read as OpenVINO writes them", "[xml]") {
  Options options;
  options.stateful = true;
  const Conversion conversion = convert_text(R"(<ir_version: 10, opset_import: ["" : 19]>
    g (float[1, T] past, float[1, 2] new) => (float[1, U] present, float[1, U] y) {
      present = Concat <axis = 1> (past, new)
      y = Abs (present)
    })",
                                             options);
  REQUIRE(conversion.model);
  std::string xml = conversion.model->xml();
  const std::string_view written = "variable_shape=\"1,-1\"";
  const std::size_t at = xml.find(written);
  REQUIRE(at != std::string::npos);
  xml.replace(at, written.size(), "variable_shape=\"1,?\"");
  const auto model = read_xml(xml, ir::ConstantData(conversion.model->weights()));
  CHECK(backend_xml::xml_text(*model) == conversion.model->xml());
}

TEST_CASE("text between the facts about an IR is ignored", "[xml]") {
  const Conversion conversion = convert_file(ONNX2IR_TESTS_DIR "/models/loop_11.onnx");
  REQUIRE(conversion.model);
  std::string xml = conversion.model->xml();
  for (const std::string_view element : {"<onnx2ir>", "</onnx2ir>"}) {
    const std::size_t at = xml.find(element);
    REQUIRE(at != std::string::npos);
    xml.insert(element.starts_with("</") ? at : at + element.size(), "text<![CDATA[more]]>");
  }
  const auto model = read_xml(xml, ir::ConstantData(conversion.model->weights()));
  CHECK(backend_xml::xml_text(*model) == conversion.model->xml());
}

// tests/conformance/test_sliced_inputs.py runs the same file in OpenVINO.
TEST_CASE("sliced inputs of a loop are written and read back", "[xml]") {
  const auto [xml, weights] = sliced_inputs();
  const auto model = read_xml(xml, weights);
  CHECK(backend_xml::xml_text(*model) == xml);
  CHECK(std::ranges::equal(backend_xml::weights_bytes(*model), weights.bytes().span()));
  const ir::Node* loop = model->graph.results().front()->input(0).node;
  REQUIRE(loop->loop() != nullptr);
  REQUIRE(loop->loop()->sliced.size() == 2);
  const ir::Sliced& reversed = loop->loop()->sliced.back();
  CHECK(reversed.axis == 1);
  CHECK(reversed.start == -1);
  CHECK(reversed.end == 0);
  CHECK(reversed.stride == -1);
  CHECK(reversed.part_size == 1);
  CHECK(reversed.parameter->output(0).shape == ir::PartialShape{2, 1});
}

TEST_CASE("bounds of dynamic sizes may be open at one end", "[xml]") {
  const auto shape_of = [](std::string_view text) {
    const std::string xml = fmt::format(
        R"(<net name="m" version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1">)"
        R"(<data shape="{}" element_type="f32"/><output><port id="0" precision="FP32"><dim>-1</dim></port>)"
        R"(</output></layer></layers><edges/></net>)",
        text);
    return read_xml(xml, {})->graph.parameters().front()->output(0).shape;
  };
  CHECK(shape_of("..4") == ir::PartialShape({ir::Dimension(0, 4)}));
  CHECK(shape_of("2..") == ir::PartialShape({ir::Dimension(2, ir::Dimension::kUnbounded)}));
  CHECK(shape_of("2..4") == ir::PartialShape({ir::Dimension(2, 4)}));
  CHECK(shape_of("?") == ir::PartialShape({ir::Dimension()}));
  CHECK(code_of([&] { return shape_of("4..2"); }) == DiagnosticCode::unreadable_ir);
}

TEST_CASE("invalid IR is rejected", "[xml]") {
  // Clang 14 cannot capture structured bindings in a lambda.
  const auto inputs = sliced_inputs();
  const auto& xml = inputs.first;
  const auto& weights = inputs.second;
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = xml;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    return changed.replace(at, from.size(), to);
  };
  CHECK(code_of([&] { return read_xml("", weights); }) == DiagnosticCode::unreadable_ir);
  CHECK(code_of([&] { return read_xml(xml.substr(0, xml.size() / 2), weights); }) ==
        DiagnosticCode::unreadable_ir);
  CHECK(code_of([&] { return read_xml(with("version=\"11\"", "version=\"10\""), weights); }) ==
        DiagnosticCode::unreadable_ir);
  CHECK(code_of([&] { return read_xml(with("type=\"Multiply\"", "type=\"Frobnicate\""), weights); }) ==
        DiagnosticCode::unreadable_ir);
  CHECK(code_of([&] {
          return read_xml(
              with("type=\"Multiply\" version=\"opset1\"", "type=\"Multiply\" version=\"opset9\""), weights);
        }) == DiagnosticCode::unreadable_ir);
  CHECK(code_of([&] { return read_xml(with("<dim>3</dim>", "<dim>4</dim>"), weights); }) ==
        DiagnosticCode::unreadable_ir);
  CHECK(code_of([&] { return read_xml(with("precision=\"FP32\"", "precision=\"FP16\""), weights); }) ==
        DiagnosticCode::unreadable_ir);
  CHECK(code_of([&] {
          return read_xml(with("external_port_id=\"2\"", "external_port_id=\"99\""), weights);
        }) == DiagnosticCode::unreadable_ir);
  CHECK(code_of([&] { return read_xml(with("from-layer=\"0\"", "from-layer=\"9999\""), weights); }) ==
        DiagnosticCode::unreadable_ir);
  // Two elements of f32 need 8 bytes.
  CHECK(code_of([&] { return read_xml(with("size=\"8\"", "size=\"7\""), weights); }) ==
        DiagnosticCode::unreadable_ir);
  CHECK(code_of([&] { return read_xml(xml, {}); }) == DiagnosticCode::unreadable_ir);
  std::vector<std::byte> other(weights.size());
  weights.copy(0, other);
  other.back() ^= std::byte{1};
  CHECK(code_of([&] { return read_xml(xml, ir::ConstantData(other)); }) == DiagnosticCode::unreadable_ir);
  // IR of other programs has no digest.
  const std::size_t info = xml.find("<rt_info>");
  const std::string without = xml.substr(0, info) + "<rt_info/>\n</net>\n";
  CHECK_NOTHROW(read_xml(without, weights));
}

TEST_CASE("XML that is truncated or changed anywhere is read or rejected", "[xml]") {
  const auto conversion = convert_file(ONNX2IR_TESTS_DIR "/models/traps/captures_deep.onnxtxt");
  REQUIRE(conversion.model);
  const std::string xml = conversion.model->xml();
  const ir::ConstantData weights(conversion.model->weights());
  std::size_t refused = 0;
  const auto read = [&](const std::string& changed) {
    if (const auto code = code_of([&] { return read_xml(changed, weights); })) {
      CHECK(code == DiagnosticCode::unreadable_ir);
      ++refused;
    }
  };
  for (std::size_t at = 0; at < xml.size(); at += 7) {
    for (const char letter : {'9', '-', '"', '<'}) {
      std::string changed = xml;
      changed[at] = letter;
      read(changed);
    }
    read(xml.substr(0, at) + xml.substr(std::min(at + 5, xml.size())));
  }
  CHECK(refused > xml.size() / 7);
}

TEST_CASE("ports that a Result does not have cannot be read", "[xml][inconsistent]") {
  const std::string xml = R"(<?xml version="1.0"?><net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="y" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port><port id="2" precision="FP32"><dim>2</dim></port>
<port id="3" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="z" type="ReLU" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="3" to-layer="2" to-port="0"/></edges></net>)";
  CHECK(code_of([&] { return read_xml(xml, {}); }) == DiagnosticCode::unreadable_ir);
}

TEST_CASE("slices of a TensorIterator that do not fit 64 bits are an error", "[xml][inconsistent]") {
  std::string xml = read_file(ONNX2IR_TESTS_DIR "/models/openvino_ir/TensorIterator.xml");
  const std::string weights = read_file(ONNX2IR_TESTS_DIR "/models/openvino_ir/TensorIterator.bin");
  std::vector<std::byte> bytes;
  for (const char letter : weights) bytes.push_back(static_cast<std::byte>(letter));
  REQUIRE_NOTHROW(read_xml(xml, ir::ConstantData(bytes)));
  const std::string name = " stride=\"";
  const std::size_t at = xml.find(name);
  REQUIRE(at != std::string::npos);
  xml.replace(at + name.size(), xml.find('"', at + name.size()) - at - name.size(), "-9223372036854775808");
  CHECK(code_of([&] { return read_xml(xml, ir::ConstantData(bytes)); }) == DiagnosticCode::unreadable_ir);
}

TEST_CASE("what reads a Result reads its value", "[xml][inconsistent]") {
  const std::string xml = R"(<?xml version="1.0"?><net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="y" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="z" type="ReLU" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="3" name="w" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
<edge from-layer="2" from-port="1" to-layer="3" to-port="0"/></edges></net>)";
  const std::string written = backend_xml::xml_text(*read_xml(xml, {}));
  CHECK(backend_xml::xml_text(*read_xml(written, {})) == written);
}
