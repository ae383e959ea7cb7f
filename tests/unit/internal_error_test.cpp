// Mistakes of translators: errors of onnx2ir, never of the model.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "catch.hpp"
#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/translator_table.hpp"
#include "frontend/mapping/extension_library.hpp"
#include "frontend/mapping/operator_map.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/families.hpp"
#include "ir/inference.hpp"

namespace {

using namespace onnx2ir;
using namespace onnx2ir::frontend;

/// Operators whose translators make a mistake each, and Refused, whose translator finds a fault of the model.
std::vector<TranslatorRow> faulty_translators() {
  const auto missing_element = [](NodeContext& node) -> Values { return {node.integer(ir::Integers{}[0])}; };
  const auto one_input = [](NodeContext& node) -> Values { return {node.op(ops::Add, {node.input(0)})}; };
  const auto absent_input = [](NodeContext& node) -> Values {
    return {node.op(ops::Add, {node.input(0), node.optional_input(1)})};
  };
  const auto absent_value = [](NodeContext& node) -> Values {
    return {node.integer(node.rank(node.optional_input(1)))};
  };
  const auto refused = [](NodeContext&) -> Values { ir::invalid("its input is too small"); };
  return {{"MissingElement", 1, TensorTranslator(missing_element)},
          {"OneInput", 1, TensorTranslator(one_input)},
          {"AbsentInput", 1, TensorTranslator(absent_input)},
          {"AbsentValue", 1, TensorTranslator(absent_value)},
          {"Refused", 1, TensorTranslator(refused)}};
}

/// Translates an If whose then_branch has `op_type`, and whose else_branch has an Identity.
std::vector<Diagnostic> diagnostics_of_branch(std::string_view op_type) {
  const std::string text =
      "<ir_version: 10, opset_import: [\"\": 21, \"test\": 1]> "
      "g (float[2] x, bool c) => (float[2] y) { y = If (c) <"
      "then_branch = t () => (a) { a = test." +
      std::string(op_type) + " (x) }, else_branch = e () => (b) { b = Identity (x) }> }";
  std::vector<TranslatorFamily> families{{faulty_translators, "test"}};
  families.insert(families.end(), std::begin(kTranslatorFamilies), std::end(kTranslatorFamilies));
  const TranslatorTable table(families);
  DiagnosticSink sink;
  const auto loaded = load_model(ModelSource(std::string_view(text)), {}, sink);
  REQUIRE(loaded);
  const target::Target target;
  const Options options;
  const OperatorMap map;
  const ExtensionTable extensions;
  const ConversionInput input{&*loaded, &table, &target, &options, &map, &extensions};
  Occurrences occurrences;
  Attempt attempt{&input, &sink, &occurrences};
  ir::Graph graph;
  ir::Builder builder(graph);
  GraphTranslator translator(attempt, graph);
  translator.bind("x", builder.parameter(ir::ElementType::f32, ir::PartialShape({2})));
  translator.bind("c", builder.parameter(ir::ElementType::boolean, ir::PartialShape{}));
  Operands outputs;
  const bool complete = translator.translate(loaded->proto().graph(), outputs);
  CHECK(complete == !sink.has_errors());
  return {sink.diagnostics().begin(), sink.diagnostics().end()};
}

}  // namespace

TEST_CASE("a mistake of a translator is an internal error, and never removes a branch of an If") {
  const std::pair<std::string_view, std::string_view> mistakes[] = {
      {"MissingElement", "a list of 0 elements has no element 0"},
      {"OneInput", "Add cannot have 1 inputs"},
      {"AbsentInput", "input 1 of Add is absent"},
      {"AbsentValue", "an absent value is used"}};
  for (const auto& [op_type, message] : mistakes) {
    CAPTURE(op_type);
    const auto found = diagnostics_of_branch(op_type);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].code == DiagnosticCode::internal_error);
    CHECK(found[0].place.op_type == op_type);
    CHECK(found[0].message == "an internal error of onnx2ir: " + std::string(message));
  }
}

TEST_CASE("a branch of an If that the model makes invalid is left out") {
  const auto found = diagnostics_of_branch("Refused");
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(found[0].code == DiagnosticCode::branch_never_taken);
}
