#include "frontend/reader/functions.hpp"

#include <onnx/defs/parser.h>
#include <onnx/defs/schema.h>

#include <thread>

#include "catch.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/schema_table.hpp"
#include "frontend/reader/schemas.hpp"

namespace {

using namespace onnx2ir::frontend;

onnx::NodeProto node(const char* text) {
  onnx::NodeProto result;
  REQUIRE(onnx::OnnxParser::Parse(result, text).IsOK());
  return result;
}

onnx::TypeProto tensor_type(int type) {
  onnx::TypeProto result;
  result.mutable_tensor_type()->set_elem_type(type);
  return result;
}

}  // namespace

TEST_CASE("a call's attributes replace the references, then the defaults, at any depth") {
  onnx::FunctionProto function;
  const auto status = onnx::OnnxParser::Parse(function, R"(
      <domain: "my", opset_import: ["" : 17]> F <alpha, axis: int = 3, mode> (a, c) => (b) {
        p = LeakyRelu <alpha: float = @alpha> (a)
        q = Foo <mode: string = @mode> (p)
        b = If (c) <then_branch = t () => (u) { u = Softmax <axis: int = @axis> (q) },
                    else_branch = e () => (v) { v = Softmax <axis: int = @axis> (p) }>
      })");
  INFO(status.ErrorMessage());
  REQUIRE(status.IsOK());
  std::uint64_t copied = 0;
  const FunctionBody body = bind_function(function, node("y = my.F <alpha = 0.5> (x, c)"),
                                          std::make_shared<OpsetImports>(opsets_of(function)), copied, 100)
                                .value();
  CHECK(body.name == "my::F");
  CHECK(body.opsets->find("ai.onnx") == 17);
  const auto& nodes = body.function->node();
  CHECK(nodes[0].attribute(0).name() == "alpha");
  CHECK(nodes[0].attribute(0).f() == 0.5F);
  CHECK(nodes[0].attribute(0).ref_attr_name().empty());
  CHECK(nodes[1].attribute().empty());
  CHECK(nodes[2].attribute(0).g().node(0).attribute(0).i() == 3);
  CHECK(nodes[2].attribute(1).g().node(0).attribute(0).name() == "axis");
  CHECK(function.node(0).attribute(0).ref_attr_name() == "alpha");
}

TEST_CASE("operators expand to the body of their own version") {
  const auto fixed = expand_operator(node("y = Softplus (x)"), 21, {});
  REQUIRE(fixed);
  CHECK(fixed->name == "Softplus");
  CHECK(fixed->function->input(0) == "X");
  CHECK(fixed->opsets->find("") == 18);

  const auto bound = expand_operator(node("y = Elu <alpha = 0.25> (x)"), 18, {});
  REQUIRE(bound);
  bool found = false;
  for (const auto& inner : bound->function->node()) {
    for (const auto& attribute : inner.attribute()) {
      CHECK(attribute.ref_attr_name().empty());
      found |= attribute.f() == 0.25F;
    }
  }
  CHECK(found);
  CHECK_FALSE(expand_operator(node("y = Relu (x)"), 13, {}));
  CHECK_FALSE(expand_operator(node("y = Conv (x, w)"), 18, {}));
  CHECK_FALSE(expand_operator(node("y = Nothing (x)"), 18, {}));
}

TEST_CASE("bodies that depend on input types are created for these types") {
  const std::vector types = {tensor_type(onnx::TensorProto::FLOAT16),
                             tensor_type(onnx::TensorProto::FLOAT16)};
  const auto body = expand_operator(node("y = LayerNormalization (x, s)"), 18, types);
  REQUIRE(body);
  CHECK(body->function->node_size() > 5);
  CHECK(has_function_body("", "LayerNormalization", 18));
  CHECK_FALSE(has_function_body("", "LayerNormalization", 16));
  CHECK_FALSE(has_function_body("", "Relu", 13));
  CHECK_FALSE(has_function_body("com.microsoft", "Gelu", 1));
  // Without types, the body reports that it cannot be built, and does not fail.
  CHECK_FALSE(expand_operator(node("y = LayerNormalization (x, s)"), 18, {}));
}

TEST_CASE("the schema table is sorted, without duplicates, and every schema can be created") {
  const auto table = schema_table();
  CHECK(table.size() > 600);
  for (std::size_t i = 1; i < table.size(); ++i) {
    const SchemaRow& a = table[i - 1];
    const SchemaRow& b = table[i];
    CHECK(std::tie(a.set, a.name, a.since) < std::tie(b.set, b.name, b.since));
  }
  for (const SchemaRow& row : table) {
    const onnx::OpSchema made = row.make();
    CHECK(made.Name() == row.name);
    CHECK(made.since_version() == row.since);
    CHECK(find_schema(made.domain(), row.name, row.since)->since_version() == row.since);
  }
}

TEST_CASE("the schema of the highest version up to the imported one is found") {
  CHECK(find_schema("", "Loop", 1)->since_version() == 1);
  CHECK(find_schema("ai.onnx", "Loop", 12)->since_version() == 11);
  CHECK(find_schema("", "Loop", 18)->since_version() == 16);
  CHECK(find_schema("", "Upsample", 10)->Deprecated());
  CHECK(find_schema("", "Gelu", 19) == nullptr);
  CHECK(find_schema("com.microsoft", "Gelu", 1) == nullptr);
  CHECK(find_schema("ai.onnx.ml", "Scaler", 3) != nullptr);
  CHECK(find_schema("ai.onnx.preview", "Adam", 1) == nullptr);
  CHECK(find_schema("ai.onnx.preview.training", "Adam", 1) != nullptr);
  CHECK(first_opset_with("", "Gelu") == 20);
  CHECK(newest_opset("ai.onnx") >= 22);
  CHECK_FALSE(newest_opset("com.microsoft"));
}

TEST_CASE("schemas can be requested by many threads at once") {
  std::vector<std::thread> threads;
  std::vector<const onnx::OpSchema*> found(8);
  for (auto& schema : found) threads.emplace_back([&schema] { schema = find_schema("", "Attention", 23); });
  for (auto& thread : threads) thread.join();
  for (const auto* schema : found) CHECK(schema == found[0]);
}
