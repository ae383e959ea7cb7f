#include "platform/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "platform/posix/system.hpp"

namespace onnx2ir::platform {

namespace {

/// The file of `descriptor`, the result of a call that opens one.
std::optional<NewFile> opened(int descriptor, std::error_code& error) {
  error = descriptor < 0 ? posix::last_error() : std::error_code();
  return descriptor < 0 ? std::nullopt : std::optional<NewFile>(Handle(descriptor));
}

}  // namespace

std::optional<NewFile> NewFile::without_name(const Folder& folder, unsigned mode, std::error_code& error) {
  return opened(posix::open_nameless_file(posix::descriptor(folder.handle()), mode), error);
}

std::optional<NewFile> NewFile::with_name(const Folder& folder, const std::filesystem::path& name,
                                          unsigned mode, std::error_code& error) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  return opened(::openat(posix::descriptor(folder.handle()), name.c_str(), kFlags, mode), error);
}

std::optional<NewFile> NewFile::in_memory(std::error_code& error) {
  return opened(posix::open_memory_file(), error);
}

void NewFile::take_attributes(const FileAttributes& attributes) const {
  constexpr mode_t kPermissions = 0777;
  // Only privileged processes can keep another owner, and only members can keep a group.
  static_cast<void>(::fchown(posix::descriptor(handle_), static_cast<uid_t>(attributes.user),
                             static_cast<gid_t>(attributes.group)) == 0);
  ::fchmod(posix::descriptor(handle_), static_cast<mode_t>(attributes.mode) & kPermissions);
}

std::error_code NewFile::give_name(const Folder& folder, const std::filesystem::path& name) const {
  return posix::error_of(posix::link_nameless_file(posix::descriptor(handle_),
                                                   posix::descriptor(folder.handle()), name.c_str()));
}

std::size_t NewFile::write(std::string_view bytes, std::error_code& error) const {
  error.clear();
  while (true) {
    const ssize_t written = ::write(posix::descriptor(handle_), bytes.data(), bytes.size());
    if (written >= 0) return static_cast<std::size_t>(written);
    if (errno == EINTR) continue;
    error = posix::last_error();
    return 0;
  }
}

std::error_code NewFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(posix::descriptor(handle_), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return posix::last_error();
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

std::error_code NewFile::seek(std::uint64_t position) const {
  const off_t result = ::lseek(posix::descriptor(handle_), static_cast<off_t>(position), SEEK_SET);
  return result >= 0 ? std::error_code() : posix::last_error();
}

std::error_code NewFile::set_size(std::uint64_t size) const {
  return posix::error_of(::ftruncate(posix::descriptor(handle_), static_cast<off_t>(size)));
}

std::uint64_t NewFile::copy_from(const ReadFile& source, std::uint64_t offset, std::uint64_t size) const {
  while (true) {
    const std::int64_t copied =
        posix::copy_range(posix::descriptor(source.handle()), offset, posix::descriptor(handle_), size);
    if (copied < 0 && errno == EINTR) continue;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(copied, 0));
  }
}

void NewFile::start_sync() const {
  posix::start_sync(posix::descriptor(handle_));
}

std::error_code NewFile::sync() const {
  return posix::error_of(::fsync(posix::descriptor(handle_)));
}

}  // namespace onnx2ir::platform
