#include "platform/posix/system.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>
#include <string>

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the linker defines it
extern "C" [[gnu::weak, gnu::visibility("hidden")]] const char _DYNAMIC[];

namespace onnx2ir::platform {
namespace {

std::int64_t nanoseconds(const struct statx_timestamp& time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return time.tv_sec * kSecond + time.tv_nsec;
}

std::optional<FileIdentity> identify_at(int descriptor, const char* path, int flags) {
  struct statx status {};
  if (::statx(descriptor, path, flags, STATX_BASIC_STATS | STATX_BTIME, &status) != 0) return std::nullopt;
  FileIdentity identity;
  identity.device = makedev(status.stx_dev_major, status.stx_dev_minor);
  identity.inode = status.stx_ino;
  if ((status.stx_mask & STATX_BTIME) != 0) identity.created = nanoseconds(status.stx_btime);
  identity.size = status.stx_size;
  identity.modified = nanoseconds(status.stx_mtime);
  identity.status_changed = nanoseconds(status.stx_ctime);
  return identity;
}

}  // namespace

std::optional<FileIdentity> posix::identify(int descriptor) {
  return identify_at(descriptor, "", AT_EMPTY_PATH);
}

std::optional<FileIdentity> identify(const std::filesystem::path& path) {
  return identify_at(AT_FDCWD, path.c_str(), 0);
}

}  // namespace onnx2ir::platform

namespace onnx2ir::platform::posix {

bool has_dynamic_section() {
  return &_DYNAMIC != nullptr;
}

int open_unlistable_folder(const char* path) {
  return ::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int hold_entry(int folder, const char* name) {
  return ::openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

int open_memory_file() {
  return ::memfd_create("onnx2ir", MFD_CLOEXEC);
}

int exchange_entries(int folder, const char* from, const char* to) {
#ifdef __GLIBC__
  return ::renameat2(folder, from, folder, to, RENAME_EXCHANGE);
#else  // musl has no function for it
  return static_cast<int>(::syscall(SYS_renameat2, folder, from, folder, to, RENAME_EXCHANGE));
#endif
}

int open_nameless_file(int folder, unsigned mode) {
  // The file is linked through /proc later.
  if (::access("/proc/self/fd", F_OK) != 0) return -1;
  return ::openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

int link_nameless_file(int file, int folder, const char* name) {
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  return ::linkat(AT_FDCWD, link.c_str(), folder, name, AT_SYMLINK_FOLLOW);
}

std::int64_t copy_range(int from, std::uint64_t offset, int to, std::uint64_t size) {
  auto position = static_cast<off_t>(offset);
  return ::copy_file_range(from, &position, to, nullptr, size, 0);
}

void start_sync(int file) {
  ::sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
}

}  // namespace onnx2ir::platform::posix
