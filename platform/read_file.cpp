#include "platform/read_file.hpp"

#include <string_view>

namespace onnx2ir::platform {
namespace {

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::regular:
      return "a regular file";
    case FileKind::folder:
      return "a folder";
    case FileKind::pipe:
      return "a named pipe";
    case FileKind::socket:
      return "a socket";
    case FileKind::device:
      break;
  }
  return "a device";
}

}  // namespace

std::string to_string(const OpenFailure& failure) {
  if (failure.error) return failure.error.message();
  return "it is " + std::string(name_of(failure.kind)) + ", not a file";
}

}  // namespace onnx2ir::platform
