// Exactly the equal constants are found, in all locations; files are written completely.
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "backend_xml/file_output.hpp"
#include "backend_xml/weights_layout.hpp"
#include "base/input_file.hpp"
#include "catch.hpp"
#include "failure_code.hpp"
#include "ir/builder.hpp"
#include "ir/constant_data.hpp"
#include "passes/analysis/constant_values.hpp"
#include "platform/read_file.hpp"
#include "temporary_folder.hpp"

namespace {

using onnx2ir::backend_xml::FileOutput;
using onnx2ir::backend_xml::lay_out_weights;
using onnx2ir::ir::ConstantData;
using onnx2ir::platform::FolderLocks;
using onnx2ir::platform::OutputFolder;

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 2654435761U) >> 13U);
  return bytes;
}

std::shared_ptr<const onnx2ir::base::InputFile> file_of(const std::filesystem::path& path,
                                                        const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  auto opened = onnx2ir::base::open_file(path);
  REQUIRE(opened);
  return *opened;
}

/// Not with std::ifstream, which cannot open files on Windows that are open to be renamed.
std::string contents(const std::filesystem::path& path) {
  onnx2ir::platform::OpenFailure failure;
  const auto file = onnx2ir::platform::open_file(path, failure);
  if (!file) return {};
  std::string bytes(file->identity().size, '\0');
  std::error_code error;
  return bytes.substr(0, file->read(0, std::as_writable_bytes(std::span(bytes)), error));
}

std::string text_of(const ConstantData& data) {
  const auto bytes = data.bytes();
  return {reinterpret_cast<const char*>(bytes.span().data()), bytes.size()};
}

void add_constant(onnx2ir::ir::Model& model, ConstantData data) {
  const auto size = static_cast<std::int64_t>(data.size());
  onnx2ir::ir::Builder builder(model.graph);
  builder.result(builder.constant(onnx2ir::ir::ElementType::u8, {&size, 1}, std::move(data)));
}

}  // namespace

TEST_CASE("small parts of a large file are in memory, and equal ranges share their bytes", "[weights]") {
  const TemporaryFolder folder("weights_test");
  const std::string bytes = pattern(100'000);
  const auto file = file_of(folder / "data", bytes);
  const ConstantData whole(file, 0, bytes.size());
  REQUIRE(whole.bytes_in_memory().empty());
  const ConstantData small = whole.part(70'001, 8);
  CHECK(small.bytes_in_memory().size() == 8);
  CHECK(text_of(small) == bytes.substr(70'001, 8));
  CHECK(text_of(whole.part(70'000, 9000).part(1, 8)) == bytes.substr(70'001, 8));
  CHECK(whole.part(10, ConstantData::kSmall + 1).bytes_in_memory().empty());

  onnx2ir::ir::SharedParts parts(whole);
  CHECK(parts.part(70'001, 8).place() == parts.part(70'001, 8).place());
  CHECK(parts.part(70'001, 8).place() != parts.part(70'001, 9).place());
  CHECK(text_of(parts.part(0, 90'000)) == bytes.substr(0, 90'000));
}

TEST_CASE("constants with equal bytes share a range, all others have their own", "[weights]") {
  const TemporaryFolder folder("weights_test");
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{128}, std::size_t{129},
                                 std::size_t{5000}, std::size_t{100'001}, std::size_t{3'000'017}}) {
    const std::string first = pattern(size);
    std::string other = first;  // differs where no sample is taken
    other[size / 2 + size / 64] ^= 1;
    const auto file = file_of(folder / "data", first + other + first + other);
    onnx2ir::ir::Model model;
    for (std::size_t i = 0; i < 4; ++i) add_constant(model, {file, i * size, size});
    const auto memory = std::as_bytes(std::span(other));
    add_constant(model, ConstantData({memory.begin(), memory.end()}));

    const auto layout = lay_out_weights(model);
    REQUIRE(layout.blocks.size() == 2);
    CHECK(text_of(*layout.blocks[0].data) == first);
    CHECK(text_of(*layout.blocks[1].data) == other);
    CHECK(layout.blocks[1].offset % 64 == 0);
    CHECK(layout.size == layout.blocks[1].offset + size);
  }
}

TEST_CASE("a file of small and large pieces with gaps has the written content", "[weights]") {
  const TemporaryFolder folder("weights_test");
  const std::string data = pattern(1'000'000);
  const auto file = file_of(folder / "data", data);
  std::string expected;
  {
    FileOutput output(folder / "out");
    const auto add = [&](std::uint64_t gap, std::uint64_t offset, std::uint64_t size) {
      expected += std::string(gap, '\0') + data.substr(offset, size);
      REQUIRE(output.seek(expected.size() - size));
      REQUIRE(output.write(ConstantData(file, offset, size)));
    };
    add(0, 3, 10);
    add(54, 100, 400'000);
    add(63, 0, 0);
    for (std::uint64_t i = 0; i < 300; ++i) add(1, i, 1000);
    add(100'000, 500, 65'537);
    CHECK_FALSE(std::filesystem::exists(folder / "out"));
    REQUIRE(output.complete());
    CHECK_FALSE(std::filesystem::exists(folder / "out"));
    REQUIRE(output.prepare(true));
    REQUIRE(output.publish());
    output.finish();
  }
  CHECK(contents(folder / "out") == expected);
}

TEST_CASE("a file replaces another one, and the replacement can be undone", "[weights]") {
  const TemporaryFolder folder("weights_test");
  for (const bool is_locked : {false, true}) {
    std::ofstream(folder / "out") << "old";
    {
      FileOutput output(folder / "out");
      REQUIRE(output.replaces());
      REQUIRE(output.write("new"));
      REQUIRE(output.complete());
      CHECK(contents(folder / "out") == "old");
      REQUIRE(output.prepare(is_locked));
      REQUIRE(output.publish());
      CHECK(contents(folder / "out") == "new");
      REQUIRE(output.unpublish());
    }
    CHECK(contents(folder / "out") == "old");
    std::filesystem::remove(folder / "out");
    {
      FileOutput output(folder / "out");
      REQUIRE(output.complete());
      REQUIRE(output.prepare(is_locked));
      REQUIRE(output.publish());
      CHECK(std::filesystem::exists(folder / "out"));
      REQUIRE(output.unpublish());
    }
    CHECK(folder.files() == 0);
  }
}

TEST_CASE("writing waits for a locked folder", "[weights]") {
  const TemporaryFolder folder("weights_test");
  OutputFolder one(folder / "a");
  OutputFolder other(folder / "b");
  CHECK(one.is_same(other));
  REQUIRE(one.lock());
  CHECK(one.is_locked());
  std::atomic<bool> is_unlocked{false};
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    is_unlocked = true;
    one.unlock();
  });
  const FolderLocks locks(other, other);
  CHECK(is_unlocked);
  CHECK(locks.locked_by_other() == nullptr);
  CHECK(locks.are_held());
}

TEST_CASE("a truncated or changed file is an error, not zeros", "[weights]") {
  const TemporaryFolder folder("weights_test");
  const std::string data = pattern(200'000);
  const auto file = file_of(folder / "data", data);
  const ConstantData view(file, 1000, 150'000);
  const ConstantData small(file, 1000, 100);
  CHECK(text_of(view) == data.substr(1000, 150'000));
  std::string copied(500, '\0');
  view.copy(7, std::as_writable_bytes(std::span(copied)));
  CHECK(copied == data.substr(1007, 500));
  CHECK_NOTHROW(file->check_unchanged());
  std::filesystem::resize_file(folder / "data", 1100);
  CHECK(text_of(small) == data.substr(1000, 100));
  CHECK(onnx2ir::code_of([&] { return view.copy(7, std::as_writable_bytes(std::span(copied))); }) ==
        onnx2ir::DiagnosticCode::unreadable_input);
  CHECK(onnx2ir::code_of([&] { return view.bytes(); }) == onnx2ir::DiagnosticCode::unreadable_input);
  CHECK(onnx2ir::code_of([&] { return file->check_unchanged(); }) ==
        onnx2ir::DiagnosticCode::unreadable_input);
  FileOutput output(folder / "out");
  CHECK(onnx2ir::code_of([&] { return output.write(view); }) == onnx2ir::DiagnosticCode::unreadable_input);
}

TEST_CASE("the magnitudes of a constant in a file are those of its elements", "[weights]") {
  const TemporaryFolder folder("weights_test");
  std::vector<float> numbers(4096, 0.25F);  // more bytes than are read with the model
  numbers.back() = -2;
  std::string bytes(numbers.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  onnx2ir::ir::Model model;
  onnx2ir::ir::Builder builder(model.graph);
  const auto count = static_cast<std::int64_t>(numbers.size());
  const auto constant = builder.constant(onnx2ir::ir::ElementType::f32, {&count, 1},
                                         ConstantData(file_of(folder / "data", bytes), 0, bytes.size()));
  const auto found = onnx2ir::passes::magnitudes(constant, bytes.size());
  REQUIRE(found);
  CHECK(found->smallest == 0.25);
  CHECK(found->largest == 2);
}
