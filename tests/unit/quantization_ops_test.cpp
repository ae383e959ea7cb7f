// FakeQuantize: types and shapes as OpenVINO 2026.4 infers them; text IR and XML read back.
#include "backend_xml/write_model.hpp"
#include "backend_xml/xml_reader.hpp"
#include "catch.hpp"
#include "failure_code.hpp"
#include "ir/builder.hpp"
#include "ir/graph.hpp"
#include "ir/text/parser.hpp"
#include "ir/text/printer.hpp"

using namespace onnx2ir::ir;
namespace ops = onnx2ir::ops;
namespace backend_xml = onnx2ir::backend_xml;

namespace {

struct Fixture {
  Graph graph;
  Builder builder{graph};

  Value data(PartialShape shape, ElementType type = ElementType::f32) {
    return builder.parameter(type, std::move(shape));
  }
  /// All four bounds have the shape `bound`.
  PartialShape quantized(PartialShape shape, const PartialShape& bound, const char* mode = "numpy") {
    return builder
        .op(ops::FakeQuantize, {data(std::move(shape)), data(bound), data(bound), data(bound), data(bound)},
            {{"levels", std::int64_t{256}}, {"auto_broadcast", mode}})
        .shape();
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "FakeQuantize has the shape of its data") {
  CHECK(quantized({2, 3, 4}, PartialShape{}) == PartialShape{2, 3, 4});
  CHECK(quantized({2, 3, 4}, {1, 3, 1}) == PartialShape{2, 3, 4});
  CHECK(quantized({2, 3, 4}, {-1, 3, 1}) == PartialShape{2, 3, 4});
  CHECK(quantized({-1, 3}, {1, 3}) == PartialShape{-1, 3});
  CHECK(quantized({3}, {1, 3}) == PartialShape{3});
  CHECK(quantized({1, -1}, {5}) == PartialShape{1, -1});
  CHECK(quantized({1, 3}, {4, 3}) == PartialShape{1, 3});
  CHECK(quantized(PartialShape::unknown_rank(), {1, 3}) == PartialShape::unknown_rank());
  CHECK(quantized({2, 3}, PartialShape::unknown_rank()) == PartialShape{2, 3});
  CHECK(quantized({2, 3}, {2, 3}, "none") == PartialShape{2, 3});
}

TEST_CASE_METHOD(Fixture, "FakeQuantize of invalid bounds or levels is rejected") {
  CHECK(onnx2ir::code_of([&] { return quantized({2, 3, 4}, {5}); }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] {
          return quantized({2, 3}, {3}, "none");
        }) == onnx2ir::DiagnosticCode::invalid_node);
  CHECK(onnx2ir::code_of([&] {
          return quantized({2, 3}, {2}, "pdpd");
        }) == onnx2ir::DiagnosticCode::invalid_node);
  const auto rejects = [&](ElementType type, ElementType bound_type, std::int64_t levels) {
    const Value bound = data({}, bound_type);
    CHECK(onnx2ir::code_of([&] {
            return builder.op(ops::FakeQuantize, {data({2, 3}, type), bound, bound, bound, bound},
                              {{"levels", levels}});
          }) == onnx2ir::DiagnosticCode::invalid_node);
  };
  rejects(ElementType::f32, ElementType::f32, 1);
  rejects(ElementType::f16, ElementType::f32, 256);
  rejects(ElementType::i32, ElementType::i32, 256);
}

TEST_CASE("FakeQuantize reads back from text IR and XML") {
  const auto model = parse_text(R"(model "fake_quantize"
%x = Parameter : f32[?,3]
%low = Const : f32[] = -1
%high = Const : f32[] = 1
%y = FakeQuantize(%x, %low, %high, %low, %high) {levels=255}
%z = FakeQuantize(%y, %low, %high, %low, %high) {levels=16, auto_broadcast="numpy"}
%result = Result(%z)
)");
  TextWeights weights;
  const std::string text = onnx2ir::ir::text(*model, weights);
  CHECK(text.find("%y = FakeQuantize(%x, %low, %high, %low, %high) {levels=255} : f32[?,3]") !=
        std::string::npos);
  CHECK(onnx2ir::ir::text(*parse_text(text), weights) == text);
  const std::string xml = backend_xml::xml_text(*model);
  CHECK(xml.find(R"(<data levels="255")") != std::string::npos);
  CHECK(xml.find(R"(<data levels="16" auto_broadcast="numpy")") != std::string::npos);
  const auto read = backend_xml::read_xml(xml, ConstantData(backend_xml::weights_bytes(*model)));
  CHECK(backend_xml::xml_text(*read) == xml);
}
