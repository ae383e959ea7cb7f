#include "platform/posix/system.hpp"

#include <fcntl.h>
#include <stdio.h>  // NOLINT(modernize-deprecated-headers): declares renameatx_np
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace onnx2ir::platform {
namespace {

std::int64_t nanoseconds(const struct timespec& time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return time.tv_sec * kSecond + time.tv_nsec;
}

FileIdentity identity_of(const struct stat& status) {
  FileIdentity identity;
  identity.device = static_cast<std::uint64_t>(status.st_dev);
  identity.inode = status.st_ino;
  identity.created = nanoseconds(status.st_birthtimespec);
  identity.size = static_cast<std::uint64_t>(status.st_size);
  identity.modified = nanoseconds(status.st_mtimespec);
  identity.status_changed = nanoseconds(status.st_ctimespec);
  return identity;
}

int not_supported() {
  errno = ENOTSUP;
  return -1;
}

}  // namespace

std::optional<FileIdentity> posix::identify(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  return identity_of(status);
}

std::optional<FileIdentity> identify(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return identity_of(status);
}

bool posix::has_dynamic_section() {
  return true;
}

int posix::open_unlistable_folder(const char* path) {
  return ::open(path, O_SEARCH | O_DIRECTORY | O_CLOEXEC);
}

int posix::hold_entry(int folder, const char* name) {
  return ::openat(folder, name, O_EVTONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

int posix::open_memory_file() {
  // mkostemp replaces the letters X by those of a new name.
  std::string path = (std::filesystem::temp_directory_path() / "onnx2ir.XXXXXX").string();
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(path.c_str());
  return file;
}

int posix::exchange_entries(int folder, const char* from, const char* to) {
  return ::renameatx_np(folder, from, folder, to, RENAME_SWAP);
}

int posix::open_nameless_file(int /*folder*/, unsigned /*mode*/) {
  return not_supported();
}

int posix::link_nameless_file(int /*file*/, int /*folder*/, const char* /*name*/) {
  return not_supported();
}

std::int64_t posix::copy_range(int /*from*/, std::uint64_t /*offset*/, int /*to*/, std::uint64_t /*size*/) {
  return not_supported();
}

void posix::start_sync(int /*file*/) {}

}  // namespace onnx2ir::platform
