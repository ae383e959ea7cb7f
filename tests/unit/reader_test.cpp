#include "frontend/reader/reader.hpp"

#include <cstring>
#include <fstream>

#include "catch.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/weight_table.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace onnx2ir;
using namespace onnx2ir::frontend;

onnx::ModelProto model_with_weights(std::int64_t count) {
  onnx::ModelProto model;
  model.set_ir_version(10);
  model.add_opset_import()->set_version(18);
  auto& graph = *model.mutable_graph();
  auto& tensor = *graph.add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(onnx::TensorProto::INT32);
  tensor.add_dims(count);
  std::string raw(static_cast<std::size_t>(count) * 4, '\0');
  for (std::int32_t i = 0; i < count; ++i) std::memcpy(raw.data() + i * 4, &i, 4);
  tensor.set_raw_data(raw);
  auto& node = *graph.add_node();
  node.set_op_type("Identity");
  node.add_input("w");
  node.add_output("y");
  graph.add_output()->set_name("y");
  return model;
}

void check_weights(const LoadedModel& model, std::int64_t count) {
  const TensorResult tensor = read_tensor(model.proto().graph().initializer(0), model.weights());
  REQUIRE(tensor);
  REQUIRE(tensor->data.size() == static_cast<std::uint64_t>(count) * 4);
  for (std::int32_t i = 0; i < count; ++i) {
    std::int32_t value = 0;
    std::memcpy(&value, tensor->data.bytes().span().data() + i * 4, 4);
    CHECK(value == i);
  }
}

/// A file in a folder of its own.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content, const std::string& suffix = "")
      : folder_("reader_test_" + std::to_string(next_number())), path_(folder_ / ("model" + suffix)) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  static int next_number() {
    static int number = 0;
    return ++number;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_;
};

constexpr std::string_view kText =
    "<ir_version: 10, opset_import: [\"\" : 18]>\n"
    "main (float[2] x) => (float[2] y) { y = Relu (x) }";

std::string problem_of(const ModelSource& source) {
  DiagnosticSink sink;
  CHECK_FALSE(load_model(source, {}, sink));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(sink.diagnostics()[0].code == DiagnosticCode::unreadable_model);
  return sink.diagnostics()[0].message;
}

}  // namespace

TEST_CASE("weights are the same from a file and from memory, long and short") {
  for (std::int64_t count : {3, 31, 32, 33, 5000}) {
    const std::string bytes = model_with_weights(count).SerializeAsString();
    DiagnosticSink sink;
    const TemporaryFile file(bytes);
    const auto from_file = load_model(file.path(), {}, sink);
    REQUIRE(from_file);
    check_weights(*from_file, count);
    std::optional<LoadedModel> from_memory;
    {
      const std::string copy = bytes;
      from_memory = load_model(std::as_bytes(std::span(copy)), {}, sink);
    }
    REQUIRE(from_memory);
    check_weights(*from_memory, count);
    CHECK(sink.diagnostics().empty());
  }
}

TEST_CASE("weights in a file are views on it and outlive the model") {
  const TemporaryFile file(model_with_weights(5000).SerializeAsString());
  ir::ConstantData data;
  {
    DiagnosticSink sink;
    const auto model = load_model(file.path(), {}, sink);
    REQUIRE(model);
    data = read_tensor(model->proto().graph().initializer(0), model->weights())->data;
  }
  REQUIRE(data.file() != nullptr);
  CHECK(data.bytes().span().data()[4] == std::byte{1});
}

TEST_CASE("external data is read with the model") {
  onnx::ModelProto proto = model_with_weights(5000);
  auto& tensor = *proto.mutable_graph()->mutable_initializer(0);
  const TemporaryFile weights("12345678" + tensor.raw_data());
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto add = [&](const char* key, const std::string& value) {
    auto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  };
  add("location", weights.path().filename().string());
  add("offset", "8");
  auto load = [&](const onnx::ModelProto& model) {
    const std::string bytes = model.SerializeAsString();
    DiagnosticSink sink;
    Options options;
    options.external_data_folder = weights.path().parent_path();
    auto loaded = load_model(std::as_bytes(std::span(bytes)), options, sink);
    return std::pair(std::move(loaded), sink.take());
  };
  {
    const auto [model, findings] = load(proto);
    REQUIRE(model);
    check_weights(*model, 5000);
  }
  tensor.mutable_external_data(1)->set_value("9");
  CHECK_THAT(load(proto).second.at(0).message, contains("its external data is 20000 bytes at 9 of the file"));
  tensor.mutable_external_data(1)->set_value("18446744073709551615");
  CHECK_THAT(load(proto).second.at(0).message, contains("which has only 20008"));
  tensor.mutable_external_data(1)->set_value("8");
  add("length", "19999");
  CHECK_THAT(load(proto).second.at(0).message,
             contains("its external data has 19999 bytes, but its type and shape require 20000"));
}

TEST_CASE("text is accepted as text, and from files by extension or content") {
  DiagnosticSink sink;
  CHECK(load_model(kText, {}, sink));
  CHECK(load_model(TemporaryFile(kText).path(), {}, sink));
  CHECK(load_model(TemporaryFile(kText, ".onnxtxt").path(), {}, sink));
  CHECK(load_model(TemporaryFile("# a comment <\n \t" + std::string(kText)).path(), {}, sink));
  CHECK(sink.diagnostics().empty());
  CHECK_THAT(problem_of(std::string_view("main (float x) =>")), contains("the model cannot be read"));
  CHECK_THAT(problem_of(std::string_view("<ir_version: 99999999999999999999>")),
             contains("the model cannot be read"));
  const std::string deep = std::string(100'000, '<');
  CHECK_THAT(problem_of(std::string_view(deep)), contains("nested more than"));
}

TEST_CASE("files that are not models are rejected with their path and the reason") {
  CHECK_THAT(problem_of(std::filesystem::path("/nonexistent/model.onnx")),
             Catch::Matchers::Equals("'/nonexistent/model.onnx' cannot be read: No such file or directory"));
  CHECK_THAT(problem_of(std::filesystem::path("/")), contains("it is a folder, not a file"));
  CHECK_THAT(problem_of(std::filesystem::path("/dev/null")), contains("it is a device, not a file"));
  CHECK_THAT(problem_of(TemporaryFile("").path()), contains("the file is empty"));
  CHECK_THAT(problem_of(TemporaryFile("PK\x03\x04 zip").path()), contains("it is a ZIP archive"));
  // Wire format, but not ONNX's: a graph whose node is not a message.
  CHECK_THAT(problem_of(TemporaryFile("\x3a\x03\x0a\x01\xff").path()), contains("not an ONNX model"));
}

TEST_CASE("every damaged byte of a model gives a model or an error") {
  onnx::ModelProto proto = model_with_weights(40);
  auto& attribute = *proto.mutable_graph()->add_node()->add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = model_with_weights(2).graph();
  std::string bytes = proto.SerializeAsString();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char original = bytes[at];
    for (int flip : {0x01, 0x08, 0x80, 0xff}) {
      bytes[at] = static_cast<char>(original ^ flip);
      DiagnosticSink sink;
      const auto model = load_model(std::as_bytes(std::span(bytes)), {}, sink);
      REQUIRE(model.has_value() == !sink.has_errors());
    }
    bytes[at] = original;
  }
}
