#include "platform/file_reference.hpp"

#include <fcntl.h>

#include <string>

#include "platform/posix/system.hpp"

namespace onnx2ir::platform {
namespace {

/// A link of the kernel to an open file.
std::string link_to(const Handle& handle) {
  return "/proc/self/fd/" + std::to_string(handle.value());
}

}  // namespace

std::optional<FileReference> FileReference::find(const std::filesystem::path& path, std::error_code& error) {
  error.clear();
  // O_PATH has no effect on devices and pipes.
  Handle handle(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (handle.is_open()) return FileReference(std::move(handle));
  error = posix::last_error();
  return std::nullopt;
}

std::optional<std::filesystem::path> FileReference::real_path() const {
  std::error_code error;
  auto path = std::filesystem::read_symlink(link_to(handle_), error);
  if (error) return std::nullopt;
  return path;
}

std::optional<ReadFile> FileReference::open(OpenFailure& failure) const {
  Handle handle(::open(link_to(handle_).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (handle.is_open()) return take_file(std::move(handle), failure);
  failure.error = posix::last_error();
  return std::nullopt;
}

}  // namespace onnx2ir::platform
