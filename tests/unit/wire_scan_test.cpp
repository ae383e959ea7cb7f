#include "frontend/reader/wire_scan.hpp"

#include <cstring>
#include <span>

#include "catch.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace {

using namespace onnx2ir::frontend;

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

onnx::TensorProto tensor_with(std::size_t bytes, char fill) {
  onnx::TensorProto tensor;
  tensor.set_name("w");
  tensor.set_data_type(onnx::TensorProto::UINT8);
  tensor.add_dims(static_cast<std::int64_t>(bytes));
  tensor.set_raw_data(std::string(bytes, fill));
  return tensor;
}

/// Strips `model` and puts the raw data back, so that only documentation may be missing.
onnx::ModelProto strip_and_restore(const onnx::ModelProto& model, std::size_t expected_references) {
  const std::string bytes = model.SerializeAsString();
  const auto stripped = strip_raw_data(as_bytes(bytes));
  REQUIRE(stripped);
  CHECK(stripped->raw_data.size() == expected_references);
  onnx::ModelProto result;
  REQUIRE(result.ParseFromString(stripped->bytes));
  auto restore = [&](onnx::TensorProto& tensor) {
    if (const auto index = raw_data_reference(tensor.raw_data())) {
      REQUIRE(*index < stripped->raw_data.size());
      const ByteRange range = stripped->raw_data[*index];
      tensor.set_raw_data(bytes.substr(range.offset, range.size));
    }
  };
  auto restore_graph = [&](auto& self, onnx::GraphProto& graph) -> void {
    for (auto& tensor : *graph.mutable_initializer()) restore(tensor);
    for (auto& sparse : *graph.mutable_sparse_initializer()) {
      restore(*sparse.mutable_values());
      restore(*sparse.mutable_indices());
    }
    for (auto& node : *graph.mutable_node()) {
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_t()) restore(*attribute.mutable_t());
        for (auto& tensor : *attribute.mutable_tensors()) restore(tensor);
        if (attribute.has_g()) self(self, *attribute.mutable_g());
      }
    }
  };
  restore_graph(restore_graph, *result.mutable_graph());
  for (auto& function : *result.mutable_functions()) {
    for (auto& attribute : *function.mutable_attribute_proto()) restore(*attribute.mutable_t());
  }
  return result;
}

std::string problem_of(const std::string& bytes) {
  const auto stripped = strip_raw_data(as_bytes(bytes));
  REQUIRE_FALSE(stripped);
  // A hint to copy the file again depends on the code.
  CHECK((stripped.error().code == onnx2ir::DiagnosticCode::unreadable_input) ==
        stripped.error().message.ends_with("early"));
  return stripped.error().message;
}

}  // namespace

TEST_CASE("raw data of at least the reference's size is removed") {
  for (std::size_t size : {0U, 1U, 127U, 128U, 129U, 1000U, 100'000U}) {
    onnx::ModelProto model;
    model.set_ir_version(10);
    *model.mutable_graph()->add_initializer() = tensor_with(size, 'x');
    const auto restored = strip_and_restore(model, size >= kRawReferenceSize ? 1 : 0);
    CHECK(restored.SerializeAsString() == model.SerializeAsString());
  }
}

TEST_CASE("raw data is found at every place in a model") {
  onnx::ModelProto model;
  auto& graph = *model.mutable_graph();
  *graph.add_initializer() = tensor_with(200, 'a');
  auto& sparse = *graph.add_sparse_initializer();
  *sparse.mutable_values() = tensor_with(300, 'b');
  *sparse.mutable_indices() = tensor_with(400, 'c');
  auto& attribute = *graph.add_node()->add_attribute();
  *attribute.mutable_t() = tensor_with(500, 'd');
  *attribute.add_tensors() = tensor_with(600, 'e');
  *attribute.mutable_g()->add_initializer() = tensor_with(700, 'f');
  *model.add_functions()->add_attribute_proto()->mutable_t() = tensor_with(800, 'g');
  CHECK(strip_and_restore(model, 7).SerializeAsString() == model.SerializeAsString());
}

TEST_CASE("a model cannot forge a reference") {
  onnx::ModelProto model;
  *model.mutable_graph()->add_initializer() = tensor_with(500, 'x');
  *model.mutable_graph()->add_initializer() = tensor_with(kRawReferenceSize, '\0');  // looks like reference 0
  const auto restored = strip_and_restore(model, 2);
  CHECK(restored.graph().initializer(1).raw_data() == std::string(kRawReferenceSize, '\0'));
}

TEST_CASE("the last one of repeated raw data fields is used, stripped or not") {
  const std::string first = tensor_with(500, 'x').SerializeAsString();
  onnx::TensorProto last;
  for (std::size_t size : {3U, 600U}) {
    last.set_raw_data(std::string(size, 'y'));
    const std::string tensor = first + last.SerializeAsString();
    onnx::ModelProto model;
    REQUIRE(model.mutable_graph()->add_initializer()->ParseFromString(tensor));
    // The same by hand, with both fields in the bytes.
    auto field = [](int number, const std::string& value) {
      std::string bytes(1, static_cast<char>(number << 3 | 2));
      for (std::size_t rest = value.size(); true; rest >>= 7) {
        bytes += static_cast<char>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
        if (rest <= 0x7f) break;
      }
      return bytes + value;
    };
    const std::string bytes = field(7, field(5, tensor));
    const auto stripped = strip_raw_data(as_bytes(bytes));
    REQUIRE(stripped);
    onnx::ModelProto parsed;
    REQUIRE(parsed.ParseFromString(stripped->bytes));
    const std::string& raw = parsed.graph().initializer(0).raw_data();
    if (const auto index = raw_data_reference(raw)) {
      CHECK(bytes.substr(stripped->raw_data[*index].offset, stripped->raw_data[*index].size) ==
            last.raw_data());
    } else {
      CHECK(raw == last.raw_data());
    }
  }
}

TEST_CASE("packed floats are removed like raw data") {
  onnx::ModelProto model;
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (int i = 0; i < 100; ++i) tensor.add_float_data(static_cast<float>(i));
  const onnx::TensorProto stripped = strip_and_restore(model, 1).graph().initializer(0);
  CHECK(stripped.float_data().empty());
  REQUIRE(stripped.raw_data().size() == 400);
  CHECK(std::memcmp(stripped.raw_data().data(), tensor.float_data().data(), 400) == 0);

  SECTION("not when they are not the tensor's only data, or not its type's") {
    SECTION("other data") {
      tensor.set_raw_data("1234");
    }
    SECTION("other type") {
      tensor.set_data_type(onnx::TensorProto::DOUBLE);
    }
    CHECK(strip_and_restore(model, 0).SerializeAsString() == model.SerializeAsString());
  }
}

TEST_CASE("documentation is removed, everything else is kept") {
  onnx::ModelProto model;
  model.set_doc_string(std::string(1000, 'd'));
  model.set_producer_name("tool");
  auto& node = *model.mutable_graph()->add_node();
  node.set_op_type("Relu");
  node.set_name(std::string(200, 'n'));
  node.set_doc_string("doc");
  onnx::ModelProto expected = model;
  expected.clear_doc_string();
  expected.mutable_graph()->mutable_node(0)->clear_doc_string();
  CHECK(strip_and_restore(model, 0).SerializeAsString() == expected.SerializeAsString());
}

TEST_CASE("unknown fields and groups are skipped") {
  // field 100 as a group with a group in it, then ir_version 7
  const std::string bytes = "\xa3\x06\x08\x01\xab\x06\xac\x06\xa4\x06\x08\x07";
  const auto stripped = strip_raw_data(as_bytes(bytes));
  REQUIRE(stripped);
  CHECK(stripped->bytes == bytes);
}

TEST_CASE("damaged bytes are rejected with the position of the damage") {
  CHECK(problem_of("\x08") == "a number is cut off at byte 1, in a ModelProto");
  CHECK(problem_of("\x3a\x05zz") == "the file ends at least 3 bytes early");
  CHECK(problem_of(std::string("\x00", 1)) == "the field number is invalid at byte 0, in a ModelProto");
  CHECK(problem_of("\x0f\x01") == "the wire type is invalid at byte 0, in a ModelProto");
  CHECK(problem_of("\x0c") == "a group ends without a beginning at byte 0, in a ModelProto");
  CHECK(problem_of("\x0b\x14") == "a group ends without a beginning at byte 1, in a ModelProto");
  CHECK(problem_of("\x0b\x08") == "a number is cut off at byte 2, in a ModelProto");
  CHECK(problem_of("\x08" + std::string(11, '\xff')) ==
        "a number has more than ten bytes at byte 1, in a ModelProto");
}

TEST_CASE("graphs that are nested too deeply are rejected") {
  onnx::ModelProto model;
  onnx::GraphProto* graph = model.mutable_graph();
  for (int depth = 0; depth < kMaxGraphDepth; ++depth) {
    graph->set_doc_string(std::string(200, 'd'));
    graph = graph->add_node()->add_attribute()->mutable_g();
  }
  graph->set_name(std::string(200, 'n'));
  CHECK(problem_of(model.SerializeAsString()).starts_with("graphs are nested more than 64 deep"));
}

TEST_CASE("every truncation of a model is rejected or parsed, without reading past its end") {
  onnx::ModelProto model;
  model.set_ir_version(10);
  *model.mutable_graph()->add_initializer() = tensor_with(300, 'x');
  *model.mutable_graph()->add_node()->add_attribute()->mutable_t() = tensor_with(200, 'y');
  const std::string bytes = model.SerializeAsString();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<std::byte> cut(as_bytes(bytes).begin(),
                                     as_bytes(bytes).begin() + static_cast<std::ptrdiff_t>(size));
    const auto stripped = strip_raw_data(std::span(cut));
    CHECK((stripped || !stripped.error().message.empty()));
  }
}
