#include "platform/file_identity.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "platform/posix/system.hpp"

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
