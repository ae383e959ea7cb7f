// What the platform layer promises on every system (docs/platforms.md).
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "catch.hpp"
#include "platform/file_identity.hpp"
#include "platform/file_reference.hpp"
#include "platform/folder.hpp"
#include "platform/new_file.hpp"
#include "platform/read_file.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace onnx2ir::platform;
namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string contents(const ReadFile& file) {
  std::string bytes(file.identity().size, '\0');
  std::error_code error;
  const std::size_t got = file.read(0, std::as_writable_bytes(std::span(bytes)), error);
  CHECK_FALSE(error);
  return bytes.substr(0, got);
}

/// Not with std::ifstream, which cannot open files on Windows that are open to be renamed.
std::string contents(const fs::path& path) {
  OpenFailure failure;
  const auto file = open_file(path, failure);
  INFO(to_string(failure));
  REQUIRE(file);
  return contents(*file);
}

Folder opened(const TemporaryFolder& folder) {
  std::error_code error;
  auto result = Folder::open(folder.path(), error);
  INFO(error.message());
  REQUIRE(result);
  return std::move(*result);
}

NewFile new_file(const Folder& folder, const fs::path& name, std::string_view content) {
  std::error_code error;
  auto file = NewFile::with_name(folder, name, 0666, error);
  INFO(error.message());
  REQUIRE(file);
  CHECK(file->write(content, error) == content.size());
  return std::move(*file);
}

}  // namespace

TEST_CASE("a file has one identity under all its names and after changes", "[platform]") {
  const TemporaryFolder folder("platform_test");
  write(folder / "a", "1234");
  write(folder / "b", "1234");
  fs::create_hard_link(folder / "a", folder / "c");
  const auto a = identify(folder / "a");
  const auto b = identify(folder / "b");
  const auto c = identify(folder / "c");
  REQUIRE((a && b && c));
  CHECK(a->size == 4);
  CHECK_FALSE(is_same_file(*a, *b));
  CHECK(is_same_file(*a, *c));
  write(folder / "c", "12345");
  const auto changed = identify(folder / "a");
  REQUIRE(changed);
  CHECK(is_same_file(*a, *changed));
  CHECK(changed->size == 5);
  CHECK_FALSE(identify(folder / "none"));
}

TEST_CASE("a file is read at positions, and is still the same after its name is replaced", "[platform]") {
  const TemporaryFolder folder("platform_test");
  write(folder / "a", "0123456789");
  OpenFailure failure;
  const auto file = open_file(folder / "a", failure);
  REQUIRE(file);
  std::array<std::byte, 4> bytes{};
  std::error_code error;
  CHECK(file->read(3, bytes, error) == 4);
  CHECK(bytes[0] == std::byte{'3'});
  CHECK(file->read(8, bytes, error) == 2);
  CHECK(file->read(10, bytes, error) == 0);
  CHECK_FALSE(error);
  const auto before = file->current_identity();
  REQUIRE(before);
  CHECK(before->modified == file->identity().modified);
  fs::rename(folder / "a", folder / "old");
  write(folder / "a", "another");
  CHECK(contents(*file) == "0123456789");
}

TEST_CASE("what is no regular file is not opened", "[platform]") {
  const TemporaryFolder folder("platform_test");
  OpenFailure missing;
  CHECK_FALSE(open_file(folder / "none", missing));
  CHECK(missing.error == std::errc::no_such_file_or_directory);
  CHECK(to_string(missing) == "No such file or directory");
  OpenFailure failure;
  CHECK_FALSE(open_file(folder.path(), failure));
  CHECK_FALSE(failure.error);
  CHECK(to_string(failure) == "it is a folder, not a file");
}

TEST_CASE("a reference reads the file that was checked", "[platform]") {
  const TemporaryFolder folder("platform_test");
  write(folder / "a", "checked");
  std::error_code error;
  const auto reference = FileReference::find(folder / "a", error);
  REQUIRE(reference);
  CHECK(reference->real_path() == folder / "a");
  const auto status = reference->status(error);
  REQUIRE(status);
  CHECK(status->kind == FileKind::regular);
  CHECK(status->links == 1);
  fs::rename(folder / "a", folder / "b");
  write(folder / "a", "another");
  OpenFailure failure;
  const auto file = reference->open(failure);
  if (file) {
    CHECK(contents(*file) == "checked");
  } else {
    CHECK(failure.error == std::errc::no_such_file_or_directory);
  }
}

TEST_CASE("a folder is locked once", "[platform]") {
  const TemporaryFolder folder("platform_test");
  Folder one = opened(folder);
  Folder other = opened(folder);
  CHECK(is_same_file(one.identity(), other.identity()));
  CHECK(one.try_lock() == LockResult::locked);
  CHECK(other.try_lock() == LockResult::busy);
  one.unlock();
  CHECK(other.try_lock() == LockResult::locked);
  other.unlock();
  CHECK(folder.files() == 0);
}

TEST_CASE("a file without a name leaves nothing behind, or gets a name", "[platform]") {
  const TemporaryFolder folder("platform_test");
  const Folder place = opened(folder);
  {
    std::error_code error;
    const auto file = NewFile::without_name(place, 0666, error);
    if (!file) return;  // the file system has no such files
    CHECK(file->write("123", error) == 3);
  }
  CHECK(folder.files() == 0);
  std::error_code error;
  const auto file = NewFile::without_name(place, 0666, error);
  REQUIRE(file);
  CHECK(file->write("123", error) == 3);
  write(folder / "taken", "old");
  CHECK(file->give_name(place, "taken") == std::errc::file_exists);
  CHECK_FALSE(file->give_name(place, "free"));
  CHECK(contents(folder / "free") == "123");
  CHECK(contents(folder / "taken") == "old");
  CHECK(folder.files() == 2);
}

TEST_CASE("files are written at positions, and gaps are zeros", "[platform]") {
  const TemporaryFolder folder("platform_test");
  const Folder place = opened(folder);
  {
    const NewFile file = new_file(place, "a", "12");
    CHECK_FALSE(file.seek(4));
    std::error_code error;
    CHECK(file.write("56", error) == 2);
    CHECK_FALSE(file.write_at(1, std::as_bytes(std::span("x", 1))));
    CHECK_FALSE(file.set_size(8));
    CHECK_FALSE(file.sync());
    CHECK_FALSE(NewFile::with_name(place, "a", 0666, error));
    CHECK(error == std::errc::file_exists);
  }
  CHECK(contents(folder / "a") == std::string("1x\0\0"
                                              "56\0\0",
                                              8));
}

TEST_CASE("an open file replaces another one, also while that is read", "[platform]") {
  const TemporaryFolder folder("platform_test");
  const Folder place = opened(folder);
  write(folder / "target", "old");
  const NewFile file = new_file(place, "new", "new");
  CHECK(place.hold("target"));
  CHECK_FALSE(place.hold("none"));
  CHECK(place.attributes("target"));
  CHECK_FALSE(place.attributes("none"));
  CHECK_FALSE(place.rename("new", "target"));
  CHECK(contents(folder / "target") == "new");
  CHECK(folder.files() == 1);
  CHECK_FALSE(place.remove("target"));
}

TEST_CASE("two files are exchanged, and back, or nothing happens", "[platform]") {
  const TemporaryFolder folder("platform_test");
  const Folder place = opened(folder);
  write(folder / "target", "old");
  std::optional<NewFile> file = new_file(place, "new", "new");
  if (place.exchange("new", "target")) {
    CHECK(contents(folder / "target") == "old");
    return;
  }
  CHECK(contents(folder / "target") == "new");
  CHECK(contents(folder / "new") == "old");
  file.reset();
  CHECK_FALSE(place.exchange("new", "target"));
  CHECK(contents(folder / "target") == "old");
  CHECK(contents(folder / "new") == "new");
  CHECK(folder.files() == 2);
}
