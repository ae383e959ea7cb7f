#include "ir/input_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace onnx2ir::ir {
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

std::optional<FileIdentity> identify(int descriptor) {
  return identify_at(descriptor, "", AT_EMPTY_PATH);
}

std::optional<FileIdentity> identify(const char* path) {
  return identify_at(AT_FDCWD, path, 0);
}

bool is_same_file(const FileIdentity& a, const FileIdentity& b) {
  const bool created_differs = a.created != 0 && b.created != 0 && a.created != b.created;
  return a.device == b.device && a.inode == b.inode && !created_differs;
}

InputFile::InputFile(int descriptor, Input input) noexcept
    : descriptor_(descriptor), input_(std::move(input)) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t got = ::pread(descriptor_, target.data(), target.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw InputError(
          fmt::format("'{}' cannot be read: {}", input_.path, std::generic_category().message(errno)));
    }
    if (got == 0) fail_shortened();
    target = target.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

void InputFile::check_unchanged() const {
  const auto now = identify(descriptor_);
  const FileIdentity& before = input_.identity;
  if (now && now->size < before.size) fail_shortened();
  if (!now || now->size != before.size || now->modified != before.modified ||
      now->status_changed != before.status_changed) {
    throw InputError(fmt::format("'{}' was changed while it was read", input_.path));
  }
}

void InputFile::fail_shortened() const {
  throw InputError(fmt::format("'{}' became shorter while it was read", input_.path));
}

}  // namespace onnx2ir::ir
