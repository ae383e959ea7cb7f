#include "platform/process.hpp"

#include <mach-o/dyld.h>

#include <array>

namespace onnx2ir::platform {

void keep_freed_memory() {}

// The system ignores limit_memory().
std::uint64_t available_memory() {
  return 0;
}
std::uint64_t reserved_memory() {
  return 0;
}

std::filesystem::path program_path() {
  std::array<char, kMaxPath> path{};
  std::uint32_t size = path.size();
  if (::_NSGetExecutablePath(path.data(), &size) != 0) return {};
  return path.data();
}

}  // namespace onnx2ir::platform
