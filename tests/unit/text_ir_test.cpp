// Text IR: printed text reads back as the same model, and invalid text is rejected with a position.
#include <algorithm>
#include <filesystem>
#include <onnx2ir/onnx2ir.hpp>

#include "backend_xml/write_model.hpp"
#include "base/failure.hpp"
#include "catch.hpp"
#include "frontend/frontend.hpp"
#include "ir/narrowing.hpp"
#include "ir/text/parser.hpp"
#include "ir/text/printer.hpp"
#include "passes/pipeline.hpp"

using namespace onnx2ir;

namespace {

ir::ConstantData file_of(const ir::TextWeights& weights) {
  std::vector<std::byte> bytes(weights.size);
  for (const auto& [data, offset] : weights.blocks) {
    ir::copy_written(data, 0, std::span(bytes).subspan(offset, data.written_size()));
  }
  return ir::ConstantData(std::move(bytes));
}

/// Checks that `model` is the same after it was printed and read.
void check_round_trip(const ir::Model& model) {
  ir::TextWeights weights;
  const std::string text = ir::text(model, weights);
  INFO(text);
  std::unique_ptr<ir::Model> parsed;
  try {
    parsed = ir::parse_text(text, file_of(weights));
  } catch (const base::Failure& failure) {
    const TextPosition& at = failure.problem().position;
    FAIL(at.line << ':' << at.column << ": " << failure.what());
  }
  parsed->provenance = model.provenance;  // it is not a part of the text
  ir::TextWeights weights_again;
  CHECK(ir::text(*parsed, weights_again) == text);
  CHECK(backend_xml::xml_text(*parsed) == backend_xml::xml_text(model));
  CHECK(backend_xml::weights_bytes(*parsed) == backend_xml::weights_bytes(model));
}

/// "3:14: expected ..." for a text that is rejected.
std::string refusal(std::string_view text) {
  try {
    ir::parse_text(text);
  } catch (const base::Failure& failure) {
    CHECK(failure.code() == DiagnosticCode::unreadable_ir);
    const TextPosition& at = failure.problem().position;
    return std::to_string(at.line) + ':' + std::to_string(at.column) + ": " + failure.what();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("text IR of all models reads back after import and after each pass", "[text]") {
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ONNX2IR_TESTS_DIR "/models")) {
    if (!entry.path().extension().string().starts_with(".onnx")) continue;
    DiagnosticSink sink;
    passes::PassContext context;
    context.sink = &sink;
    const auto imported = frontend::import_model(entry.path(), {}, context.target, sink);
    if (imported.model == nullptr) continue;
    INFO(entry.path().string());
    check_round_trip(*imported.model);
    std::string before;
    context.inspect = [&](std::string_view pass, const ir::Model& model) {
      INFO(pass);
      if (std::string now = ir::text(model); now != before) {
        check_round_trip(model);
        before = std::move(now);
      }
    };
    passes::run_pipeline(*imported.model, context);
    ++models;
  }
  CHECK(models > 50);
}

TEST_CASE("errors of text IR have a position and what was expected", "[text]") {
  const auto in_model = [](const std::string& statements) {
    return refusal("model \"m\"\n%x = Parameter : f32[2]\n" + statements);
  };
  CHECK(refusal("") == "1:1: expected 'model', found the end of the text");
  CHECK(refusal("<ir_version: 8>") == "1:1: expected 'model', found \"<\"");
  CHECK(refusal("model \"m") == "1:7: the string has no closing quote in its line");
  CHECK(in_model("%y = Add(%x, %z)") == "3:14: '%z' is not defined before this place");
  CHECK(in_model("%y = Add(%x, %x#1)") == "3:14: '%x' has no output 1");
  CHECK(in_model("%r = Result(%x)\n%y = ReLU(%r)") == "4:11: '%r' is a Result, which has no readers");
  CHECK(in_model("%y = Add(%x %x)") == "3:13: expected ',' or ')' after an input, found \"%\"");
  CHECK(in_model("%y = Add(%x)") == "3:6: Add cannot have 1 inputs");
  CHECK(in_model("%y = Frobnicate(%x)") == "3:6: there is no operation 'Frobnicate'");
  CHECK(in_model("%x = ReLU(%x)") == "3:1: '%x' is defined twice");
  CHECK(in_model("%y = ReLU(%x) : f32[3]") == "3:17: the type is f32[3], but inference finds f32[2]");
  CHECK(in_model("%y = ReLU(%x) : f32[2], f32[2]") == "3:6: ReLU has 1 outputs here, and 2 types");
  CHECK(in_model("%y = ReLU(%x) : f33[2]") == "3:17: there is no element type 'f33'");
  CHECK(in_model("%y = ReLU(%x) : f32[5..2]") == "3:21: no size lies in 5..2");
  CHECK(in_model("%y = Elu(%x)") == "3:6: Elu needs the attribute 'alpha'");
  CHECK(in_model("%y = Elu(%x) {alpha=one}") == "3:21: 'one' is not a number");
  CHECK(in_model("%y = Elu(%x) {beta=1}") == "3:15: Elu has no attribute 'beta'");
  CHECK(in_model("%y = Elu(%x) {alpha=1, alpha=1}") == "3:24: attribute 'alpha' is given twice");
  CHECK(in_model("%y = Concat(%x, %x) {axis=2}").starts_with("3:6: Concat: "));
  CHECK(in_model("%y = Const : f32[2] = [1, 2, 3]") == "3:23: the shape has 2 elements, the list 3");
  CHECK(in_model("%y = Const : u8[1] = [256]") == "3:23: '256' is not an element of type u8");
  CHECK(in_model("%y = Const : f32[?] = [1]") == "3:23: the shape of a Const must be static");
  CHECK(in_model("%y = Const : f32[2] = weights(0, 8)") ==
        "3:23: the constant lies outside of the weights file, which has 0 bytes");
  CHECK(in_model("%y = Const : i8[1000000000000] = splat 0") ==
        "3:34: the splats of a text must not be larger than 268435456 bytes together");
}

TEST_CASE("ports in text IR must fit the body", "[text]") {
  const auto in_loop = [](const std::string& ports) {
    return refusal(
        "model \"m\"\n%n = Const : i64[] = 2\n%go = Const : boolean[] = true\n%x = Parameter : f32[2]\n"
        "%y = Loop(%n, %go, %x) {\n" +
        ports +
        "\n%go = Const : boolean[] = true\n%next_go = Result(%go)\n%s = Parameter : f32[2]\n%next = "
        "Result(%s)\n}");
  };
  const std::string condition = "condition %next_go ";
  CHECK(in_loop(condition + "carried %s = input 2: %x, back_edge %next, output 0") == "not refused");
  CHECK(in_loop(condition) == "5:6: input 2 is not connected");
  CHECK(in_loop("invariant %s = input 2") == "5:6: the Loop has no condition");
  CHECK(in_loop(condition + "invariant %s = input 2 invariant %s = input 2") ==
        "6:43: input 2 is connected twice");
  CHECK(in_loop(condition + "invariant %s = input 3") == "6:41: there is no input 3");
  CHECK(in_loop(condition + "invariant %s = input 2: %n") == "6:44: input 2 is another value");
  CHECK(in_loop(condition + "invariant %next = input 2") == "6:30: '%next' is not a Parameter of this body");
  CHECK(in_loop(condition + "carried %s = input 2, back_edge %next, output 1") ==
        "6:20: output 1 cannot be connected");
  CHECK(in_loop(condition + "carried %s = input 2, back_edge %next %p = Parameter : f32[2]") ==
        "1:1: Loop 'y': Parameter 'p' of the body is not fed by exactly one port");
  CHECK(in_loop(condition + "captured %s = input 2") ==
        "6:20: expected a node, a port or '}', found \"captured\"");
}

TEST_CASE("elements and attributes keep every bit in text IR", "[text]") {
  const auto reprinted = [](const std::string& statement) {
    const std::string begin = "model \"m\"\n\n";
    const std::string text = ir::text(*ir::parse_text(begin + statement));
    return text.substr(begin.size(), text.size() - begin.size() - 1);
  };
  const auto same = [&](const std::string& statement) { CHECK(reprinted(statement) == statement); };
  same("%c = Const : f32[5] = [0.1, -0, inf, nan, 0x7fc00001]");
  same("%c = Const : f32[3] = [1e-45, 3.4028235e+38, -inf]");
  same("%c = Const : f16[4] = [0.1, 6e-08, 65504, nan]");
  same("%c = Const : bf16[2] = [0.1, 3e+38]");
  same("%c = Const : f64[2] = [0.1, 5e-324]");
  same("%c = Const : f8e4m3[2] = [0.1, 448]");
  same("%c = Const : nf4[2] = [0x7, 0x0]");
  same("%c = Const : i4[3] = [-8, 7, -1]");
  same("%c = Const : u1[3] = [1, 0, 1]");
  same("%c = Const : u64[1] = [18446744073709551615]");
  same("%c = Const : i64[2] = [-9223372036854775808, 9223372036854775807]");
  same("%c = Const : boolean[3] = [true, false, 0x2]");
  same("%c = Const : i4[3] = bytes \"00f0\"");
  same("%c = Const : u3[8] = bytes \"010203\"");
  same("%c = Const : i32[3,3] = splat 7");
  same("%c = Const : f32[0] = []");
  same("%\"a \\\"b\\\"\\n\\xff\\\\ \xc3\xa9\" = Parameter : f32[...] \"x\" \"y\"");
  same("%c = Parameter : f32[?,2..3,4..]\n%y = Elu(%c) {alpha=0.1f} : f32[?,2..3,4..]");
  same("%c = Parameter : f32[2]\n%y = Elu(%c) {alpha=0.1} : f32[2]");
}

TEST_CASE("text IR that is truncated or changed anywhere is read or rejected", "[text]") {
  const auto conversion = convert_file(ONNX2IR_TESTS_DIR "/models/traps/captures_deep.onnxtxt");
  REQUIRE(conversion.model);
  const std::string text = conversion.model->text();
  std::size_t refused = 0;
  const auto parse = [&](std::string_view changed) { refused += refusal(changed) == "not refused" ? 0 : 1; };
  for (std::size_t at = 0; at < text.size(); at += 3) {
    parse(std::string_view(text).substr(0, at));
    for (const char letter : {'%', '9', '-', '}', '"'}) {
      std::string changed = text;
      changed[at] = letter;
      parse(changed);
    }
    parse(text.substr(0, at) + text.substr(std::min(at + 7, text.size())));
  }
  CHECK(refused > text.size());
}

TEST_CASE("nesting in text IR is bounded", "[text]") {
  std::string text = "model \"m\"\n%c = Parameter : boolean[]\n";
  for (int depth = 0; depth < 100000; ++depth)
    text += "%y = If(%c) { then { invariant %c = input 0 %c = Parameter : boolean[] ";
  CHECK(refusal(text).ends_with("bodies are nested more than 200 deep"));
}
