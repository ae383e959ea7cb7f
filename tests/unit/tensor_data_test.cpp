#include "frontend/reader/tensor_data.hpp"

#include <cstring>

#include "catch.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/tensor_types.hpp"
#include "frontend/reader/weight_table.hpp"

namespace {

using namespace onnx2ir;
using namespace onnx2ir::frontend;
using ir::ElementType;

const WeightTable& no_weights() {
  static const WeightTable table(std::span<const std::byte>{}, {}, {});
  return table;
}

onnx::TensorProto tensor(int type, std::initializer_list<std::int64_t> shape) {
  onnx::TensorProto result;
  result.set_data_type(type);
  for (std::int64_t dimension : shape) result.add_dims(dimension);
  return result;
}

std::vector<int> bytes_of(const TensorResult& result) {
  INFO((result ? "" : result.error().message));
  REQUIRE(result);
  std::vector<int> bytes;
  const auto kept = result->data.bytes();
  for (std::byte byte : kept.span()) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

std::vector<int> bytes_of(const onnx::TensorProto& proto) {
  return bytes_of(read_tensor(proto, no_weights()));
}

std::string problem_of(const onnx::TensorProto& proto) {
  const TensorResult result = read_tensor(proto, no_weights());
  REQUIRE_FALSE(result);
  return result.error().message;
}

template <typename Element>
std::vector<int> bytes_of_elements(std::initializer_list<Element> elements) {
  std::vector<int> bytes;
  for (const std::byte byte : std::as_bytes(std::span(elements.begin(), elements.size()))) {
    bytes.push_back(std::to_integer<int>(byte));
  }
  return bytes;
}

}  // namespace

TEST_CASE("elements in typed fields become packed bytes") {
  SECTION("as they are") {
    auto floats = tensor(onnx::TensorProto::FLOAT, {2});
    floats.add_float_data(1.5F);
    floats.add_float_data(-2.F);
    CHECK(bytes_of(floats) == bytes_of_elements({1.5F, -2.F}));
    auto doubles = tensor(onnx::TensorProto::DOUBLE, {1});
    doubles.add_double_data(0.1);
    CHECK(bytes_of(doubles) == bytes_of_elements({0.1}));
    auto int64s = tensor(onnx::TensorProto::INT64, {});
    int64s.add_int64_data(-5'000'000'000);
    CHECK(bytes_of(int64s) == bytes_of_elements({std::int64_t{-5'000'000'000}}));
    auto uint64s = tensor(onnx::TensorProto::UINT64, {1});
    uint64s.add_uint64_data(~std::uint64_t{0});
    CHECK(bytes_of(uint64s) == std::vector<int>(8, 255));
    auto int32s = tensor(onnx::TensorProto::INT32, {1});
    int32s.add_int32_data(-2);
    CHECK(bytes_of(int32s) == bytes_of_elements({std::int32_t{-2}}));
  }
  SECTION("narrowed") {
    auto uint32s = tensor(onnx::TensorProto::UINT32, {1});
    uint32s.add_uint64_data(4'000'000'000);
    CHECK(bytes_of(uint32s) == bytes_of_elements({std::uint32_t{4'000'000'000}}));
    auto halves = tensor(onnx::TensorProto::FLOAT16, {1});
    halves.add_int32_data(0xbc00);
    CHECK(bytes_of(halves) == std::vector<int>{0x00, 0xbc});
    auto int16s = tensor(onnx::TensorProto::INT16, {1});
    int16s.add_int32_data(-2);
    CHECK(bytes_of(int16s) == std::vector<int>{0xfe, 0xff});
    for (int type : {onnx::TensorProto::INT8, onnx::TensorProto::UINT8, onnx::TensorProto::FLOAT8E5M2}) {
      auto bytes = tensor(type, {3});
      for (int value : {255, -1, 7}) bytes.add_int32_data(value);
      CHECK(bytes_of(bytes) == std::vector<int>{255, 255, 7});
    }
    auto booleans = tensor(onnx::TensorProto::BOOL, {2});
    booleans.add_int32_data(1);
    booleans.add_int32_data(0);
    CHECK(bytes_of(booleans) == std::vector<int>{1, 0});
  }
  SECTION("packed below a byte") {
    for (int type : {onnx::TensorProto::INT4, onnx::TensorProto::UINT4}) {
      auto nibbles = tensor(type, {3});
      nibbles.add_int32_data(0x21);
      nibbles.add_int32_data(0x03);
      CHECK(bytes_of(nibbles) == std::vector<int>{0x21, 0x03});
    }
  }
  SECTION("none") {
    CHECK(bytes_of(tensor(onnx::TensorProto::FLOAT, {2, 0})).empty());
  }
}

TEST_CASE("raw elements are the bytes") {
  auto proto = tensor(onnx::TensorProto::FLOAT16, {1, 2});
  proto.set_raw_data(std::string("\1\2\3\4"));
  const TensorResult result = read_tensor(proto, no_weights());
  CHECK(bytes_of(result) == std::vector<int>{1, 2, 3, 4});
  CHECK(result->type == ElementType::f16);
  CHECK(result->shape == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("damaged tensors are rejected") {
  auto floats = tensor(onnx::TensorProto::FLOAT, {2});
  CHECK(problem_of(floats) == "it has 0 values, but its type and shape require 2");
  floats.set_raw_data("1234567");
  CHECK(problem_of(floats) == "it has 7 bytes, but its type and shape require 8");
  floats.add_float_data(1);
  CHECK(problem_of(floats) == "it has its values in more than one place");

  auto wrong_field = tensor(onnx::TensorProto::FLOAT, {1});
  wrong_field.add_int32_data(1);
  CHECK(problem_of(wrong_field) == "it has values in a field that does not fit float");

  auto wide = tensor(onnx::TensorProto::UINT8, {1});
  wide.add_int32_data(256);
  CHECK(problem_of(wide) == "its value 256 does not fit into its element type");

  CHECK(problem_of(tensor(0, {})) == "it has no element type");
  CHECK(problem_of(tensor(99, {})) == "it has the unknown element type 99");
  CHECK(problem_of(tensor(onnx::TensorProto::FLOAT, {-1})) == "it has the negative dimension -1");
  CHECK(problem_of(tensor(onnx::TensorProto::FLOAT, {std::int64_t{1} << 40, std::int64_t{1} << 40})) ==
        "its number of elements does not fit into 64 bits");
  CHECK(problem_of(tensor(onnx::TensorProto::FLOAT, {std::int64_t{1} << 62})) ==
        "its size does not fit into 64 bits");

  auto complex = tensor(onnx::TensorProto::COMPLEX64, {1});
  complex.add_float_data(1);
  CHECK(problem_of(complex) == "it has 1 values, but its type and shape require 2");
  complex.add_float_data(1);
  CHECK(problem_of(complex) == "OpenVINO has no element type for complex64");
  CHECK_FALSE(tensor_problem(complex, no_weights()));
}

TEST_CASE("strings are packed as the IR stores them") {
  auto proto = tensor(onnx::TensorProto::STRING, {3});
  for (const char* text : {"ab", "", "c"}) proto.add_string_data(text);
  const TensorResult result = read_tensor(proto, no_weights());
  CHECK(bytes_of(result) ==
        std::vector<int>{3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'a', 'b', 'c'});
}

TEST_CASE("sparse tensors become dense") {
  onnx::SparseTensorProto sparse;
  *sparse.mutable_values() = tensor(onnx::TensorProto::UINT8, {2});
  sparse.mutable_values()->add_int32_data(7);
  sparse.mutable_values()->add_int32_data(9);
  sparse.add_dims(2);
  sparse.add_dims(3);
  auto set_indices = [&](std::initializer_list<std::int64_t> shape,
                         std::initializer_list<std::int64_t> values) {
    *sparse.mutable_indices() = tensor(onnx::TensorProto::INT64, shape);
    for (std::int64_t value : values) sparse.mutable_indices()->add_int64_data(value);
  };
  set_indices({2}, {1, 5});
  CHECK(bytes_of(read_tensor(sparse, no_weights())) == std::vector<int>{0, 7, 0, 0, 0, 9});
  set_indices({2, 2}, {0, 2, 1, 0});
  CHECK(bytes_of(read_tensor(sparse, no_weights())) == std::vector<int>{0, 0, 7, 9, 0, 0});
  set_indices({2}, {1, 6});
  CHECK(read_tensor(sparse, no_weights()).error().message == "index 1 of its values is out of range");
  set_indices({2}, {5, 1});
  CHECK(bytes_of(read_tensor(sparse, no_weights())) == std::vector<int>{0, 9, 0, 0, 0, 7});
  set_indices({1}, {5});
  CHECK(read_tensor(sparse, no_weights()).error().message ==
        "the shape of its indices does not fit its values");
  set_indices({2}, {1, 5});
  sparse.set_dims(0, std::int64_t{1} << 40);
  CHECK(read_tensor(sparse, no_weights()).error().message ==
        "it makes the sparse tensors of the model take more than 512 MiB in dense form; store it as a "
        "dense tensor");
}

TEST_CASE("the table of tensor types is complete") {
  for (int type = 1; type <= 26; ++type) {
    const TensorTypeInfo* info = find_tensor_type(type);
    REQUIRE(info != nullptr);
    if (info->ir_type && info->bits != 0) CHECK(ir::info(*info->ir_type).bits == info->bits);
  }
  CHECK(find_tensor_type(0) == nullptr);
  CHECK(find_tensor_type(-1) == nullptr);
  CHECK(find_tensor_type(std::int64_t{1} << 40) == nullptr);
}
