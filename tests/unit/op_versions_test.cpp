// The version of an operation that the XML names: the oldest one that can express the node.
#include "backend_xml/write_model.hpp"
#include "backend_xml/xml_reader.hpp"
#include "catch.hpp"
#include "failure_code.hpp"
#include "ir/builder.hpp"
#include "ir/op_descriptor.hpp"

using namespace onnx2ir;
using namespace onnx2ir::ir;

namespace {

using Sizes = std::vector<std::int64_t>;

std::vector<Attribute> window(const std::string& rounding) {
  return {{"kernel", Sizes{2}},   {"strides", Sizes{1}},    {"pads_begin", Sizes{0}},
          {"pads_end", Sizes{0}}, {"auto_pad", "explicit"}, {"rounding_type", rounding}};
}

std::string_view average_version(std::vector<Attribute> attributes) {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, {1, 1, 8});
  attributes.push_back({"exclude-pad", true});
  return oldest_version(builder.node(ops::AvgPool, std::span(&x, 1), attributes));
}

std::string_view maximum_version(std::vector<Attribute> attributes) {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.parameter(ElementType::f32, {1, 1, 8});
  attributes.push_back({"dilations", Sizes{2}});
  attributes.push_back({"index_element_type", ElementType::i64});
  attributes.push_back({"axis", 0});
  return oldest_version(builder.node(ops::MaxPool, std::span(&x, 1), attributes));
}

/// A model of one ScatterNDUpdate.
void scatter(Model& model, AttributeList attributes) {
  Builder builder(model.graph);
  const Value data = builder.parameter(ElementType::f32, {4});
  const Value places = builder.parameter(ElementType::i64, {2, 1});
  const Value updates = builder.parameter(ElementType::f32, {2});
  builder.result(builder.op(ops::ScatterNDUpdate, {data, places, updates}, attributes));
}

}  // namespace

TEST_CASE("AvgPool has a newer version for ceil_torch and one for dilations", "[op_versions]") {
  CHECK(average_version(window("floor")) == "opset1");
  CHECK(average_version(window("ceil_torch")) == "opset14");
  auto dilated = window("floor");
  dilated.push_back({"dilations", Sizes{2}});
  CHECK(average_version(dilated) == "opset16");
}

TEST_CASE("MaxPool has a newer version for ceil_torch", "[op_versions]") {
  CHECK(maximum_version(window("floor")) == "opset8");
  CHECK(maximum_version(window("ceil_torch")) == "opset14");
}

TEST_CASE("older versions are written without newer attributes and read back", "[op_versions]") {
  for (const bool reduces : {false, true}) {
    Model model;
    model.name = "m";
    scatter(model, reduces ? AttributeList{{"reduction", "sum"}} : AttributeList{});
    const std::string xml = backend_xml::xml_text(model);
    CHECK((xml.find("opset15") != std::string::npos) == reduces);
    CHECK((xml.find("opset4") != std::string::npos) != reduces);
    const ConstantData weights;
    CHECK(backend_xml::xml_text(*backend_xml::read_xml(xml, weights)) == xml);
    if (!reduces) continue;
    std::string older = xml;
    older.replace(older.find("opset15"), 7, "opset4");
    CHECK(code_of([&] { return backend_xml::read_xml(older, weights); }) == DiagnosticCode::unreadable_ir);
  }
}
