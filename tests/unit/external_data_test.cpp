#include "frontend/reader/external_data.hpp"

#include <fstream>

#include "catch.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "platform/read_file.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace onnx2ir::frontend;
namespace fs = std::filesystem;

class Folder : public TemporaryFolder {
 public:
  explicit Folder(const std::string& name = "external_data_test") : TemporaryFolder(name) {}

  fs::path write(const std::string& name, std::string_view content) const {
    fs::create_directories((*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << content;
    return *this / name;
  }
};

/// Whether links lead to files: on Windows they may not be allowed, and Wine 8 makes links that it does not
/// follow.
bool follows_links() {
  const Folder folder("external_data_links");
  folder.write("file", "1");
  std::error_code error;
  fs::create_symlink("file", folder / "link", error);
  onnx2ir::platform::OpenFailure failure;
  if (!error && onnx2ir::platform::open_file(folder / "link", failure)) return true;
  WARN("the system does not follow links");
  return false;
}

std::string problem_of(const ExternalFolders& folders, std::string_view location) {
  const auto result = folders.open(location);
  REQUIRE_FALSE(result);
  return result.error().message;
}

void check_opens(const ExternalFolders& folders, std::string_view location, std::size_t size) {
  const auto result = folders.open(location);
  REQUIRE(result);
  CHECK((*result)->size() == size);
}

onnx::TensorProto external_tensor(std::initializer_list<std::pair<const char*, const char*>> entries) {
  onnx::TensorProto tensor;
  for (const auto& [key, value] : entries) {
    auto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return tensor;
}

std::string problem_of(const onnx::TensorProto& tensor) {
  const auto range = parse_external_range(tensor);
  REQUIRE_FALSE(range);
  return range.error().message;
}

}  // namespace

TEST_CASE("external data in the folder of the model and below is opened") {
  const Folder folder;
  const auto model = folder.write("model.onnx", "m");
  folder.write("weights.bin", "1234");
  folder.write("parts/a/weights.bin", "12345");
  const auto folders = ExternalFolders::of_model(model);
  check_opens(folders, "weights.bin", 4);
  check_opens(folders, "./weights.bin", 4);
  check_opens(folders, "parts/a/weights.bin", 5);
  CHECK(problem_of(folders, "none.bin") == "its file 'none.bin' cannot be opened: No such file or directory");
}

TEST_CASE("a hub cache, where model and data are links into one folder of blobs, works") {
  if (!follows_links()) return;
  const Folder folder;
  folder.write("blobs/111", "m");
  folder.write("blobs/222", "1234");
  fs::create_directories(folder / "snapshots/abc/onnx");
  fs::create_symlink("../../../blobs/111", folder / "snapshots/abc/onnx/model.onnx");
  fs::create_symlink("../../../blobs/222", folder / "snapshots/abc/onnx/model.onnx_data");
  check_opens(ExternalFolders::of_model(folder / "snapshots/abc/onnx/model.onnx"), "model.onnx_data", 4);
}

TEST_CASE("external data is found through a link to the model") {
  if (!follows_links()) return;
  const Folder folder;
  folder.write("real/model.onnx", "m");
  folder.write("real/weights.bin", "1234");
  fs::create_symlink("real/model.onnx", folder / "model.onnx");
  check_opens(ExternalFolders::of_model(folder / "model.onnx"), "weights.bin", 4);
}

TEST_CASE("a link is followed inside the folder only") {
  if (!follows_links()) return;
  const Folder outside("external_data_outside");
  outside.write("secret", "1234");
  const Folder folder;
  const auto model = folder.write("model.onnx", "m");
  folder.write("real.bin", "1234");
  fs::create_symlink("real.bin", folder / "inside.bin");
  fs::create_symlink(outside / "secret", folder / "outside.bin");
  fs::create_directory_symlink(outside.path(), folder / "sub");
  fs::create_symlink("dangling", folder / "dangling.bin");
  fs::create_symlink("circle", folder / "circle");
  const auto folders = ExternalFolders::of_model(model);
  check_opens(folders, "inside.bin", 4);
  CHECK_THAT(problem_of(folders, "outside.bin"), contains("outside the model's folder"));
  CHECK_THAT(problem_of(folders, "sub/secret"), contains("outside the model's folder"));
  CHECK_THAT(problem_of(folders, "dangling.bin"), contains("No such file"));
  CHECK_THAT(problem_of(folders, "circle"), contains("cannot be opened"));
}

TEST_CASE("locations outside of the folder or without a file are rejected") {
  const Folder folder;
  const auto model = folder.write("inner/model.onnx", "m");
  folder.write("weights.bin", "1234");
  fs::create_directories(folder / "inner/sub");
  folder.write("inner/one", "1234");
  fs::create_hard_link(folder / "inner/one", folder / "inner/two");
  const auto folders = ExternalFolders::of_model(model);
  CHECK(problem_of(folders, "") == "its location is empty");
  CHECK(problem_of(folders, "../weights.bin") == "its location contains '..'");
  CHECK(problem_of(folders, "sub/../../weights.bin") == "its location contains '..'");
  CHECK(problem_of(folders, (folder / "weights.bin").string()) == "its location is an absolute path");
  CHECK(problem_of(folders, std::string_view("a\0b", 3)) == "its location contains a zero byte");
  CHECK_THAT(problem_of(folders, "*/_ORT_MEM_ADDR_/*"), contains("in the memory"));
  CHECK(problem_of(folders, "sub") == "'sub', where its elements are, is not a file");
  CHECK(problem_of(folders, ".") == "'.', where its elements are, is not a file");
  CHECK_THAT(problem_of(folders, "one"), contains("hard links"));
  CHECK_THAT(problem_of(folders, std::string(5000, 'x')), contains("cannot be opened"));
}

TEST_CASE("a folder whose name begins like the model's folder is another folder") {
  if (!follows_links()) return;
  const Folder folder;
  const auto model = folder.write("model/m.onnx", "m");
  folder.write("models/weights.bin", "1234");
  fs::create_symlink("../models/weights.bin", folder / "model/weights.bin");
  CHECK_THAT(problem_of(ExternalFolders::of_model(model), "weights.bin"),
             contains("outside the model's folder"));
}

TEST_CASE("external data without a folder is an error") {
  CHECK_THAT(problem_of(ExternalFolders(), "weights.bin"), contains("no folder"));
}

TEST_CASE("external data entries are parsed strictly") {
  const auto range = parse_external_range(
      external_tensor({{"location", "a"}, {"offset", "4096"}, {"length", "18446744073709551615"}}));
  REQUIRE(range);
  CHECK(range->location == "a");
  CHECK(range->offset == 4096);
  CHECK(range->length == ~std::uint64_t{0});
  CHECK(parse_external_range(external_tensor({{"location", "a"}, {"checksum", "x"}, {"basepath", "y"}})));

  CHECK(problem_of(external_tensor({})) == "its external data has no location");
  CHECK(problem_of(external_tensor({{"location", "a"}, {"location", "a"}})) ==
        "its external data has more than one 'location'");
  for (const char* number : {"", "-1", "+1", " 1", "1 ", "0x10", "1e3", "18446744073709551616", "1.0"}) {
    CHECK_THAT(problem_of(external_tensor({{"location", "a"}, {"offset", number}})),
               contains("is not a decimal number"));
  }
}
