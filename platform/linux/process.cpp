#include "platform/process.hpp"

#include <malloc.h>

#include <system_error>

namespace onnx2ir::platform {

void keep_freed_memory() {
#ifdef __GLIBC__
  // Larger buffers are returned at once: between them and small objects, freed ones would leave gaps that no
  // other one of this size fits into, up to twice the memory. This is the largest threshold that glibc takes.
  constexpr int kLarge = 32 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
  ::mallopt(M_TRIM_THRESHOLD, -1);
  ::mallopt(M_TOP_PAD, 1 << 20);
#endif
}

std::filesystem::path program_path() {
  std::error_code failed;
  auto path = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path() : path;
}

}  // namespace onnx2ir::platform
