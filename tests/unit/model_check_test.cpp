#include "catch.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/reader.hpp"

namespace {

using namespace onnx2ir;
using namespace onnx2ir::frontend;

/// What load_model reports about a model in text form: "code @graph#node: message" for each finding.
std::vector<std::string> findings(const std::string& text) {
  DiagnosticSink sink;
  const auto model = load_model(std::string_view(text), {}, sink);
  CHECK((model.has_value() || sink.has_errors()));
  std::vector<std::string> lines;
  for (const auto& diagnostic : sink.diagnostics()) {
    std::string line = std::string(name_of(diagnostic.code)) + " @" + diagnostic.place.graph;
    if (diagnostic.place.node_index >= 0) line += "#" + std::to_string(diagnostic.place.node_index);
    lines.push_back(line + ": " + diagnostic.message);
  }
  return lines;
}

const std::string kHeader = R"(<ir_version: 10, opset_import: ["" : 18]> )";

std::vector<std::string> findings_in(const std::string& nodes) {
  return findings(kHeader + "main (float[2] x, bool c) => (float[2] y) { " + nodes + " }");
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a valid model has no diagnostics") {
  CHECK(findings_in("a = Relu (x) y = Add (a, x)").empty());
  CHECK(findings_in(R"(y = If (c) <
      then_branch = t () => (float[2] u) { u = Relu (x) },
      else_branch = e () => (float[2] v) { v = Neg (x) }>)")
            .empty());
}

TEST_CASE("names must be defined exactly once") {
  CHECK(findings_in("y = Add (x, z)") == Lines{"undefined-name @main#0: Its input 'z' is not defined"});
  CHECK(findings_in("z = Relu (x)") == Lines{"undefined-name @main: The output 'y' is not defined"});
  CHECK(findings_in("y = Relu (x) y = Neg (x)") ==
        Lines{"duplicate-name @main#1: The output 'y' has the name of another value of the same graph"});
  CHECK(findings_in("x = Relu (c) y = Neg (x)").front() ==
        "duplicate-name @main#0: The output 'x' has the name of another value of the same graph");
}

TEST_CASE("all errors are reported, each with its place") {
  CHECK(findings_in(R"(y = If (c) <
      then_branch = t () => (float[2] u) { u = Relu (p) },
      else_branch = e () => (float[2] v) { w = Neg (x) v = Add (w) }> z = Relu (q))") ==
        Lines{"undefined-name @main/If_0.then_branch#0: Its input 'p' is not defined",
              "invalid-node @main/If_0.else_branch#1: It has 1 inputs, but takes 2",
              "undefined-name @main#1: Its input 'q' is not defined"});
}

TEST_CASE("violations that onnxruntime accepts are warnings") {
  CHECK(
      findings_in("y = Relu (a) a = Neg (x)") ==
      Lines{
          "unordered-nodes @main#0: Its input 'a' is the output of a later node; the nodes of the graph are "
          "sorted"});
  CHECK(
      findings_in(R"(a = Neg (x) y = If (c) <
      then_branch = t () => (float[2] a) { a = Relu (x) },
      else_branch = e () => (float[2] a) { }>)") ==
      Lines{"shadowed-name @main/If_1.then_branch#0: The output 'a' hides a value of the same name outside "
            "this graph",
            "outer-value-returned @main/If_1.else_branch: The output 'a' is a value from outside the body"});
  CHECK(findings_in("y = Foo (x)").front().starts_with("unknown-operator @main#0: ONNX has no operator Foo"));
  CHECK(findings_in("y = Gelu (x)")
            .front()
            .starts_with("unknown-operator @main#0: Gelu was added in opset 20"));
  CHECK(findings(R"(<opset_import: ["" : 18]> main (float[2] x) => (y) { y = Relu (x) })") ==
        Lines{"no-ir-version @: The model does not state its version of the ONNX format"});
  CHECK(findings(R"(<ir_version: 10, opset_import: ["x" : 18]> main (float[2] x) => (y) { y = Relu (x) })")
            .size() == 1);
}

TEST_CASE("versions must be known") {
  CHECK(findings(R"(<ir_version: 99, opset_import: ["" : 18]> main (float x) => (float y) { y = Relu (x) })")
            .front()
            .starts_with("unsupported-version @: The model has version 99"));
  CHECK(
      findings(R"(<ir_version: 10, opset_import: ["" : 9999]> main (float x) => (float y) { y = Relu (x) })")
          .front()
          .starts_with("unsupported-version @: ai.onnx is imported as version 9999"));
  CHECK(findings("<ir_version: 10> main (float x) => (float y) { y = Relu (x) }").front() ==
        "invalid-model @: The model imports no operator set");
}

TEST_CASE("nodes must follow their operator's schema") {
  CHECK(findings_in("y = Relu (x, x)") == Lines{"invalid-node @main#0: It has 2 inputs, but takes 1"});
  CHECK(findings_in("y = Clip (x, x, x, x)") ==
        Lines{"invalid-node @main#0: It has 4 inputs, but takes 1 to 3"});
  CHECK(findings_in("y, z = Relu (x)") == Lines{"invalid-node @main#0: It has 2 outputs, but takes 0 to 1"});
  CHECK(findings_in("y = Add (x, )").size() == 1);
  CHECK(findings_in("y = Relu <alpha = 1.0> (x)") ==
        Lines{"invalid-attribute @main#0: Attribute 'alpha' is not an attribute of Relu"});
  CHECK(findings_in("y = LeakyRelu <alpha = 1> (x)") ==
        Lines{"invalid-attribute @main#0: Attribute 'alpha' is of type int, not float"});
  CHECK(findings_in("y = LeakyRelu <alpha = 1.0, alpha = 2.0> (x)") ==
        Lines{"invalid-attribute @main#0: It has attribute 'alpha' more than once"});
  CHECK(findings_in("y = Concat (x)") ==
        Lines{"invalid-attribute @main#0: The required attribute 'axis' is missing"});
  CHECK(findings_in("y = Relu (x) z = Upsample (x, x)")
            .front()
            .starts_with("invalid-node @main#1: Upsample is not"));
}

TEST_CASE("functions must not call themselves or exceed the limit of nodes") {
  const std::string header = R"(<ir_version: 10, opset_import: ["" : 18, "f" : 1]> )";
  const std::string main = header + "main (float x) => (float y) { y = f.A (x) } ";
  auto function = [](const std::string& name, const std::string& body) {
    return R"(<domain: "f", opset_import: ["" : 18, "f" : 1]> )" + name + " (a) => (b) { " + body + " } ";
  };
  CHECK(findings(main + function("A", "b = Relu (a)")).empty());
  CHECK(findings(main + function("A", "b = f.B (a)") + function("B", "b = f.A (a)")) ==
        Lines{"invalid-function @function f::A: The function calls itself"});
  CHECK(findings(main + function("A", "b = Relu (a)") + function("A", "b = Relu (a)")) ==
        Lines{"duplicate-name @function f::A: There is more than one function of this name"});
  CHECK(findings(main + function("A", "b = Relu (q)")) ==
        Lines{"undefined-name @function f::A#0: Its input 'q' is not defined"});
  CHECK(
      findings(header + "main (float x) => (float y) { y = f.A (x, x) } " + function("A", "b = Relu (a)")) ==
      Lines{"invalid-node @main#0: It has 2 inputs, but the model's function of this name takes 1"});

  std::string doubling = main + function("A", "b = f.F0 (a)");
  for (int i = 0; i < 40; ++i) {
    const std::string next = "f.F" + std::to_string(i + 1);
    doubling += function("F" + std::to_string(i), "c = " + next + " (a) b = " + next + " (c)");
  }
  CHECK(findings(doubling + function("F40", "b = Relu (a)"))
            .front()
            .starts_with("too-many-nodes @: the calls of the model's functions add more than"));
}

TEST_CASE("external data of a model without a folder is an error at its tensor") {
  DiagnosticSink sink;
  onnx::ModelProto proto;
  proto.set_ir_version(10);
  proto.add_opset_import()->set_version(18);
  auto& tensor = *proto.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("weights.bin");
  const std::string bytes = proto.SerializeAsString();
  CHECK_FALSE(load_model(std::as_bytes(std::span(bytes)), {}, sink));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(sink.diagnostics()[0].code == DiagnosticCode::bad_external_data);
  CHECK_THAT(sink.diagnostics()[0].message, contains("no folder"));
}
