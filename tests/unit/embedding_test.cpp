// What programs supply and receive through functions, in C++ and in C: external data, output, progress,
// cancellation, layers.
#include <onnx2ir/onnx2ir.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <onnx2ir/onnx2ir.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "catch.hpp"

namespace onnx2ir {
namespace {

constexpr const char* kModel =
    "<ir_version: 10, opset_import: [\"\" : 17]> m (float[4] x) => (float[4] y) "
    "<float[4] w = [\"location\": \"w.bin\", \"offset\": \"4\", \"length\": \"16\"]> { y = Add (x, w) }";
constexpr std::array<float, 5> kData{-1, 1.5F, 2.5F, 3.5F, 4.5F};

std::vector<std::byte> expected_weights() {
  std::vector<std::byte> bytes(16);
  std::memcpy(bytes.data(), &kData[1], bytes.size());
  return bytes;
}

/// Data that a program has in memory.
Options supplied(std::vector<std::string>& asked) {
  Options options;
  options.external_data = [&asked](const std::string& location) {
    asked.push_back(location);
    return SuppliedData{sizeof kData, [](std::uint64_t offset, std::span<std::byte> target) {
                          std::memcpy(target.data(), std::as_bytes(std::span(kData)).data() + offset,
                                      target.size());
                          return true;
                        }};
  };
  return options;
}

ByteSink sink(std::string& text) {
  return [&text](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  };
}

TEST_CASE("external data of the program is read once, and is in the weights") {
  std::vector<std::string> asked;
  const Conversion conversion = convert_text(kModel, supplied(asked));
  REQUIRE(conversion.model);
  CHECK(asked == std::vector<std::string>{"w.bin"});
  CHECK(conversion.model->weights() == expected_weights());
}

TEST_CASE("external data that the program cannot read is an error") {
  Options options;
  options.external_data = [](const std::string&) {
    return SuppliedData{sizeof kData, [](std::uint64_t, std::span<std::byte>) { return false; }};
  };
  const Conversion conversion = convert_text(kModel, options);
  CHECK_FALSE(conversion.model);
  CHECK(to_string(conversion.diagnostics).find("w.bin") != std::string::npos);
}

TEST_CASE("a model is written to functions, with progress, until the program cancels it") {
  std::vector<std::string> asked;
  const Conversion conversion = convert_text(kModel, supplied(asked));
  REQUIRE(conversion.model);
  std::string xml;
  std::string weights;
  std::vector<std::string> stages;
  SaveOptions options;
  options.progress = [&](std::string_view stage, double) { stages.emplace_back(stage); };
  REQUIRE_FALSE(conversion.model->write(sink(xml), sink(weights), options));
  CHECK(xml == conversion.model->xml());
  CHECK(weights.size() == 16);
  CHECK((stages.front() == "weights" && stages.back() == "done"));

  options.is_cancelled = [] { return true; };
  std::string nothing;
  auto problem = conversion.model->write(sink(nothing), sink(nothing), options);
  REQUIRE(problem);
  CHECK(problem->code == DiagnosticCode::cancelled);
  problem = conversion.model->write(sink(xml), [](std::span<const std::byte>) { return false; });
  REQUIRE(problem);
  CHECK(problem->code == DiagnosticCode::cannot_write);
}

TEST_CASE("layers are visited with their connections and bytes, until the program ends it") {
  std::vector<std::string> asked;
  const Conversion conversion = convert_text(kModel, supplied(asked));
  REQUIRE(conversion.model);
  std::vector<std::string> types;
  std::vector<std::byte> bytes;
  conversion.model->visit_layers([&](const Layer& layer) {
    types.emplace_back(layer.type);
    if (layer.type == "Add") CHECK(layer.inputs.size() == 2);
    if (layer.constant) {
      bytes.resize(layer.constant->size);
      layer.constant->read(0, bytes);
    }
    return true;
  });
  CHECK(std::ranges::count(types, "Add") == 1);
  CHECK(std::ranges::count(types, "Result") == 1);
  CHECK(bytes == expected_weights());
  int visited = 0;
  conversion.model->visit_layers([&](const Layer&) { return ++visited < 2; });
  CHECK(visited == 2);
}

/// What the functions of the C interface get as `user`.
struct Program {
  std::int64_t size = sizeof kData;
  int can_read = 1;
  std::string asked;
};

std::int64_t size_of(const char* location, void* user) {
  auto& program = *static_cast<Program*>(user);
  program.asked += location;
  return program.size;
}

int read(const char*, std::uint64_t offset, void* target, std::size_t size, void* user) {
  std::memcpy(target, std::as_bytes(std::span(kData)).data() + offset, size);
  return static_cast<Program*>(user)->can_read;
}

TEST_CASE("the C interface takes external data from functions") {
  // A size of -1: it would be a file.
  for (const auto& [given_size, can_read, converts] : {std::tuple(std::int64_t{sizeof kData}, 1, true),
                                                       {-1, 1, false},
                                                       {sizeof kData, 0, false},
                                                       {8, 1, false}}) {
    Program used{given_size, can_read, {}};
    onnx2ir_options* const options = onnx2ir_options_new();
    onnx2ir_options_set_external_data(options, size_of, read, &used);
    onnx2ir_conversion* const conversion = onnx2ir_convert_bytes(kModel, std::strlen(kModel), options);
    CHECK((onnx2ir_conversion_status(conversion) == ONNX2IR_OK) == converts);
    CHECK(used.asked == "w.bin");
    std::size_t size = 0;
    if (const void* const weights = onnx2ir_conversion_weights(conversion, &size); converts) {
      REQUIRE(size == 16);
      CHECK(std::memcmp(weights, &kData[1], size) == 0);
    }
    onnx2ir_conversion_delete(conversion);
    onnx2ir_options_delete(options);
  }
}

TEST_CASE("the C interface cancels writing") {
  onnx2ir_options* const options = onnx2ir_options_new();
  onnx2ir_conversion* const conversion = onnx2ir_convert_bytes(
      "<ir_version: 10, opset_import: [\"\" : 17]> m (float x) => (float y) { y = Neg (x) }", 82, nullptr);
  REQUIRE(onnx2ir_conversion_status(conversion) == ONNX2IR_OK);
  onnx2ir_options_set_progress(
      options, [](const char*, double, void*) { return 1; }, nullptr);
  const auto append = [](const void*, std::size_t, void*) { return 1; };
  CHECK(onnx2ir_conversion_write(conversion, append, nullptr, append, nullptr, options) == ONNX2IR_FAILED);
  CHECK(std::string(onnx2ir_conversion_text(conversion)).find("[cancelled]") != std::string::npos);
  onnx2ir_conversion_delete(conversion);
  onnx2ir_options_delete(options);
}

}  // namespace
}  // namespace onnx2ir
