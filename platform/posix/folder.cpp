#include "platform/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "platform/posix/system.hpp"

namespace onnx2ir::platform {

std::optional<Folder> Folder::open(const std::filesystem::path& path, std::error_code& error) {
  error.clear();
  Handle handle(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  bool may_lock = true;
  if (!handle.is_open() && errno == EACCES) {
    // A folder that may be written but not listed cannot be locked.
    handle = Handle(posix::open_unlistable_folder(path.c_str()));
    may_lock = false;
  }
  const auto identity = handle.is_open() ? posix::identify(posix::descriptor(handle)) : std::nullopt;
  if (!identity) {
    error = posix::last_error();
    return std::nullopt;
  }
  return Folder(std::move(handle), *identity, {}, may_lock);
}

LockResult Folder::try_lock() {
  if (!may_lock_) return LockResult::unsupported;
  while (::flock(posix::descriptor(handle_), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    // Some network file systems cannot lock folders.
    return errno == EWOULDBLOCK ? LockResult::busy : LockResult::unsupported;
  }
  return LockResult::locked;
}

void Folder::unlock() {
  ::flock(posix::descriptor(handle_), LOCK_UN);
}

void Folder::sync() const {
  if (may_lock_) ::fsync(posix::descriptor(handle_));
}

std::optional<FileAttributes> Folder::attributes(const std::filesystem::path& name) const {
  struct stat status {};
  if (::fstatat(posix::descriptor(handle_), name.c_str(), &status, 0) != 0) return std::nullopt;
  return FileAttributes{status.st_mode, status.st_uid, status.st_gid};
}

std::optional<Handle> Folder::hold(const std::filesystem::path& name) const {
  const int entry = posix::hold_entry(posix::descriptor(handle_), name.c_str());
  return entry < 0 ? std::nullopt : std::optional<Handle>(entry);
}

std::error_code Folder::rename(const std::filesystem::path& from, const std::filesystem::path& to) const {
  const int folder = posix::descriptor(handle_);
  return posix::error_of(::renameat(folder, from.c_str(), folder, to.c_str()));
}

std::error_code Folder::exchange(const std::filesystem::path& from, const std::filesystem::path& to) const {
  return posix::error_of(posix::exchange_entries(posix::descriptor(handle_), from.c_str(), to.c_str()));
}

std::error_code Folder::remove(const std::filesystem::path& name) const {
  return posix::error_of(::unlinkat(posix::descriptor(handle_), name.c_str(), 0));
}

}  // namespace onnx2ir::platform
