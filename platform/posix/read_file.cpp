#include "platform/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "platform/file_reference.hpp"
#include "platform/posix/system.hpp"

namespace onnx2ir::platform {
namespace {

/// No value; the error is that of the last call of the system.
std::nullopt_t fail(OpenFailure& failure) {
  failure.error = posix::last_error();
  return std::nullopt;
}

}  // namespace

Handle::~Handle() {
  if (is_open()) ::close(posix::descriptor(*this));
}

FileKind posix::kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::regular;
  if (S_ISDIR(mode)) return FileKind::folder;
  if (S_ISFIFO(mode)) return FileKind::pipe;
  if (S_ISSOCK(mode)) return FileKind::socket;
  return FileKind::device;
}

std::optional<ReadFile> take_file(Handle handle, OpenFailure& failure) {
  struct stat status {};
  if (::fstat(posix::descriptor(handle), &status) != 0) return fail(failure);
  failure.kind = posix::kind_of(status.st_mode);
  if (failure.kind != FileKind::regular) return std::nullopt;
  const auto identity = posix::identify(posix::descriptor(handle));
  if (!identity) return fail(failure);
  return ReadFile(std::move(handle), *identity);
}

std::optional<ReadFile> open_file(const std::filesystem::path& path, OpenFailure& failure) {
  // Checked before it is opened, because opening alone has effects on some devices. If it is replaced by a
  // named pipe in between, O_NONBLOCK prevents blocking, and take_file checks again.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return fail(failure);
  failure.kind = posix::kind_of(status.st_mode);
  if (failure.kind != FileKind::regular) return std::nullopt;
  Handle handle(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!handle.is_open()) return fail(failure);
  return take_file(std::move(handle), failure);
}

std::optional<FileIdentity> ReadFile::current_identity() const {
  return posix::identify(posix::descriptor(handle_));
}

std::size_t ReadFile::read(std::uint64_t offset, std::span<std::byte> target, std::error_code& error) const {
  error.clear();
  while (true) {
    const ssize_t got =
        ::pread(posix::descriptor(handle_), target.data(), target.size(), static_cast<off_t>(offset));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    error = posix::last_error();
    return 0;
  }
}

DataRange ReadFile::next_data(std::uint64_t from, std::uint64_t end) const {
  const off_t data = ::lseek(posix::descriptor(handle_), static_cast<off_t>(from), SEEK_DATA);
  if (data < 0) return errno == ENXIO ? DataRange{end, end} : DataRange{from, end};
  const std::uint64_t begin = std::min(static_cast<std::uint64_t>(data), end);
  const off_t hole = ::lseek(posix::descriptor(handle_), static_cast<off_t>(begin), SEEK_HOLE);
  if (hole <= data) return {begin, end};
  return {begin, std::min(static_cast<std::uint64_t>(hole), end)};
}

std::optional<FileReference::Status> FileReference::status(std::error_code& error) const {
  struct stat status {};
  if (::fstat(posix::descriptor(handle_), &status) == 0)
    return Status{posix::kind_of(status.st_mode), status.st_nlink};
  error = posix::last_error();
  return std::nullopt;
}

}  // namespace onnx2ir::platform
