#include "platform/file_reference.hpp"

#include <fcntl.h>
#include <sys/param.h>

#include <array>

#include "platform/posix/system.hpp"

namespace onnx2ir::platform {

std::optional<FileReference> FileReference::find(const std::filesystem::path& path, std::error_code& error) {
  error.clear();
  // There is no O_PATH: O_EVTONLY does not prevent unmounting, and O_NONBLOCK does not wait for pipes.
  Handle handle(::open(path.c_str(), O_EVTONLY | O_CLOEXEC | O_NONBLOCK));
  if (handle.is_open()) return FileReference(std::move(handle));
  error = posix::last_error();
  return std::nullopt;
}

std::optional<std::filesystem::path> FileReference::real_path() const {
  std::array<char, MAXPATHLEN> path{};
  if (::fcntl(posix::descriptor(handle_), F_GETPATH, path.data()) != 0) return std::nullopt;
  return path.data();
}

std::optional<ReadFile> FileReference::open(OpenFailure& failure) const {
  const auto path = real_path();
  Handle handle(path ? ::open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1);
  const auto expected = posix::identify(posix::descriptor(handle_));
  if (!handle.is_open() || !expected) {
    failure.error = posix::last_error();
    return std::nullopt;
  }
  auto file = take_file(std::move(handle), failure);
  if (!file || is_same_file(file->identity(), *expected)) return file;
  failure.error = std::make_error_code(std::errc::no_such_file_or_directory);  // it was replaced
  return std::nullopt;
}

}  // namespace onnx2ir::platform
