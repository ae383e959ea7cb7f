#include "platform/file_reference.hpp"

#include <sys/stat.h>

#include "platform/posix/system.hpp"

namespace onnx2ir::platform {

std::optional<FileReference::Status> FileReference::status(std::error_code& error) const {
  struct stat status {};
  if (::fstat(posix::descriptor(handle_), &status) == 0)
    return Status{posix::kind_of(status.st_mode), status.st_nlink};
  error = posix::last_error();
  return std::nullopt;
}

}  // namespace onnx2ir::platform
